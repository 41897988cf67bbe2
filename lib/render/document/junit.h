#pragma once

#include <string>
#include <vector>

#include "advice/explanation.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// JUnit's XML: one suite, a case for each DaemonSet; what is wrong is its failure. A DaemonSet
/// that could not be judged is an error. Well-formed whatever the names are.
[[nodiscard]] std::string junit_text(const advice::Explanation& explanation,
                                     const model::SourceInfo& source, model::Time now,
                                     const Presentation& style);

}  // namespace dsdoctor::render
