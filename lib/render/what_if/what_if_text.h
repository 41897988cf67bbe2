// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/what_if.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The prediction for one DaemonSet, one added node, or the nodes of one template.
struct WhatIfEntry {
  std::string head;
  std::vector<std::string> lines;
};

/// The templates of new nodes, the changed DaemonSets, one entry for the unchanged ones, and the
/// added nodes.
[[nodiscard]] std::vector<WhatIfEntry> what_if_entries(const fixes::Changed& changed,
                                                       const Style& style);

/// "What if: --taint gpu-1=a:NoSchedule"
[[nodiscard]] std::string what_if_title(const fixes::Changed& changed);

/// The summary before an answer, flips first. If it is too long for a part of the screen: the sums
/// and the largest changes; the rest is counted.
[[nodiscard]] std::string what_if_text(const fixes::Changed& changed, const Style& style);

}  // namespace dsdoctor::render
