#pragma once

#include <string>
#include <vector>

#include "advice/cures.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Cures as a script for `style.shell`: the commands, and everything about them as comments. Ends
/// with what could not be read.
[[nodiscard]] std::string suggest_text(const std::vector<advice::CureAnswer>& answers,
                                       const model::SourceInfo& source,
                                       const std::vector<model::Omission>& omissions,
                                       const Style& style);

}  // namespace dsdoctor::render
