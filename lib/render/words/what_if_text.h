// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/node_load.h"
#include "fixes/what_if.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The prediction for one DaemonSet or one added node.
struct WhatIfEntry {
  std::string head;
  std::vector<std::string> lines;
};

/// The changed DaemonSets, one entry for the unchanged ones, and the added nodes.
[[nodiscard]] std::vector<WhatIfEntry> what_if_entries(const fixes::Changed& changed,
                                                       const Style& style);

/// "What if: --taint gpu-1=a:NoSchedule"
[[nodiscard]] std::string what_if_title(const fixes::Changed& changed);

/// The summary before an answer, flips first. If it is too long for a part of the screen: the sums
/// and the largest changes; the rest is counted.
[[nodiscard]] std::string what_if_text(const fixes::Changed& changed, const Style& style);

/// The first line of node_load_lines, not wrapped.
[[nodiscard]] std::string node_load_sentence(const diagnosis::NodeLoad& load);
/// "cpu 1350m of 4 (33 %), memory 2Gi of 15Gi (13 %), pods 9 of 110"; if `style` lists
/// every node, a line for each DaemonSet follows.
[[nodiscard]] std::string node_load_lines(const diagnosis::NodeLoad& load, std::size_t indent,
                                          const Style& style);

}  // namespace dsdoctor::render
