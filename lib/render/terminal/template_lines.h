// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "render/terminal/table.h"

namespace dsdoctor::render {

/// "tolerations: gpu:NoSchedule; nodes kept out: 3 by taint x:NoSchedule": node selector, node
/// affinity and tolerations of the template, a line each, with the `shown` clauses that exclude the
/// most nodes of the report. Lines without text and without nodes are left out, so that the first
/// problem stays near the top.
[[nodiscard]] std::vector<std::string> template_sentences(const fixes::DaemonSetAnswer& answer,
                                                          std::size_t shown = 4);

/// The same, wrapped; on a small screen with the most frequent clause only.
[[nodiscard]] Lines template_lines(const fixes::DaemonSetAnswer& answer, const Style& style);

}  // namespace dsdoctor::render
