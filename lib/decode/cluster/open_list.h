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

  /// Call after all items. `of` and `ns`: see ClusterBuilder::end_list; `more`: the token of the
  /// next page, empty for a complete list.
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
