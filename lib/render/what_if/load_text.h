// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/node_load.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// " (33 %)"; empty if the whole is 0.
[[nodiscard]] std::string percent(const scheduling::Quantity& part,
                                  const scheduling::Quantity& whole);

/// "2 DaemonSets request cpu 1350m of 4 (33 %), memory 2Gi of 15Gi (13 %), 9 pods of 110"
[[nodiscard]] std::string node_load_sentence(const diagnosis::NodeLoad& load);
/// The same sentence; if `style` lists every node, one for each DaemonSet follows.
[[nodiscard]] std::vector<std::string> node_load_sentences(const diagnosis::NodeLoad& load,
                                                           const Style& style);
/// The same, as lines.
[[nodiscard]] std::string node_load_lines(const diagnosis::NodeLoad& load, std::size_t indent,
                                          const Style& style);

}  // namespace dsdoctor::render
