#pragma once

#include <string>
#include <vector>

#include "diagnosis/node_diff.h"
#include "model/cluster.h"
#include "render/style.h"

namespace dsdoctor::render {

/// Only what differs; one line when nothing does.
[[nodiscard]] std::string diff_text(const std::vector<diagnosis::PlacementDiff>& diffs,
                                    const model::SourceInfo& source,
                                    const std::vector<model::Omission>& omissions,
                                    const Style& style);

[[nodiscard]] std::string comparison_text(const diagnosis::NodeComparison& comparison,
                                          const std::vector<model::Omission>& omissions,
                                          const Style& style);

}  // namespace dsdoctor::render
