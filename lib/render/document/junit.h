#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/explanation.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// JUnit's XML: one suite, a case for each DaemonSet; what is wrong is its failure. A DaemonSet of
/// which nothing is known is an error, and so is each of `unanswered`, why a DaemonSet that was
/// asked for, or all of them, were not read. Well-formed whatever the names are.
[[nodiscard]] std::string junit_text(const advice::Explanation& explanation,
                                     const model::SourceInfo& source, model::Time now,
                                     const std::vector<std::string>& unanswered,
                                     const Presentation& style);

}  // namespace dsdoctor::render
