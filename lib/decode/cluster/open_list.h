#pragma once

#include <optional>
#include <string_view>

#include "decode/cluster/cluster_builder.h"

namespace dsdoctor::decode {

/// One list while it is read into a builder; it proves nothing unless it was found to be whole.
class OpenList {
 public:
  explicit OpenList(ClusterBuilder& into) : into_(into) { into.begin_list(); }
  ~OpenList() {
    if (open_) into_.abandon_list();
  }
  OpenList(const OpenList&) = delete;
  OpenList& operator=(const OpenList&) = delete;

  /// All items were read. `of` and `ns` as for ClusterBuilder::end_list; `more`: the token of the
  /// next page, which a whole list has not.
  void finish(std::optional<Kind> of, std::string_view ns, std::string_view more) {
    if (!more.empty()) return;
    into_.end_list(of, ns);
    open_ = false;
  }

 private:
  ClusterBuilder& into_;
  bool open_ = true;
};

}  // namespace dsdoctor::decode
