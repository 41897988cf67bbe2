// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "decode/cluster/cluster_builder.h"

namespace dsdoctor::decode {

/// A list that is being read into a builder; abandons it unless `finish` finds it complete.
class OpenList {
 public:
  explicit OpenList(ClusterBuilder& into) : into_(into) { into.begin_list(); }
  ~OpenList() {
    if (open_) into_.abandon_list();
  }
  OpenList(const OpenList&) = delete;
  OpenList& operator=(const OpenList&) = delete;

  /// Call after all items. `of`, `ns` and `page`: see ClusterBuilder::end_list. `file` is named in
  /// the answer if the list is not whole.
  void finish(std::optional<Kind> of, std::string_view ns, const ListPage& page,
              std::string_view file) {
    into_.end_list(of, ns, page, file);
    open_ = false;
  }

 private:
  ClusterBuilder& into_;
  bool open_ = true;
};

}  // namespace dsdoctor::decode
