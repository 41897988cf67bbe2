#pragma once

#include <string>
#include <vector>

#include "diagnosis/daemon_set_comparison.h"
#include "model/cluster.h"
#include "render/style.h"

namespace dsdoctor::render {

/// Where two DaemonSets differ, by which of them is wanted and by what keeps the other out.
[[nodiscard]] std::string comparison_text(const diagnosis::DaemonSetComparison& comparison,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions,
                                          const Style& style);

}  // namespace dsdoctor::render
