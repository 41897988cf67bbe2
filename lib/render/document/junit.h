// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fixes/explanation.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// JUnit XML: one suite with a case for each DaemonSet, which fails if something is wrong. A
/// DaemonSet whose state is unknown is an error, and so is each of `unanswered`, the reasons why
/// requested DaemonSets were not read. The XML is well-formed for all names.
[[nodiscard]] std::string junit_text(const fixes::Explanation& explanation,
                                     const model::SourceInfo& source, model::Time now,
                                     const std::vector<std::string>& unanswered,
                                     const Presentation& style);

}  // namespace dsdoctor::render
