#pragma once

#include <string>
#include <vector>

#include "advice/what_if.h"
#include "diagnosis/views/node_load.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// What becomes of one DaemonSet, or of one added node.
struct WhatIfEntry {
  std::string head;
  std::vector<std::string> lines;
};

/// Those with a change, the unchanged ones in one entry, and the added nodes.
[[nodiscard]] std::vector<WhatIfEntry> what_if_entries(const advice::Changed& changed,
                                                       const Style& style);

/// "What if: --taint gpu-1=a:NoSchedule"
[[nodiscard]] std::string what_if_title(const advice::Changed& changed);

/// Flips first: what an answer begins with. Of more than a part of a screen the sum, and what
/// changes most; the rest is counted.
[[nodiscard]] std::string what_if_text(const advice::Changed& changed, const Style& style);

/// The first of node_load_lines, not wrapped.
[[nodiscard]] std::string node_load_sentence(const diagnosis::NodeLoad& load);
/// "cpu 1350m of 4 (33 %), memory 2Gi of 15Gi (13 %), pods 9 of 110": a line each DaemonSet below
/// it where every node is listed.
[[nodiscard]] std::string node_load_lines(const diagnosis::NodeLoad& load, std::size_t indent,
                                          const Style& style);

}  // namespace dsdoctor::render
