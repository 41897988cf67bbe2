// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "model/cluster.h"

namespace dsdoctor::render {

/// Prometheus' text exposition format, for node_exporter's textfile collector or a push gateway.
/// Every series occurs once; the lines of a metric are contiguous.
[[nodiscard]] std::string prometheus_text(const fixes::Explanation& explanation,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions);

}  // namespace dsdoctor::render
