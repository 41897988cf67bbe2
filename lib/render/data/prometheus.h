// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "model/cluster.h"

namespace dsdoctor::render {

/// Whether there is a series for each node of a problem.
enum class MetricLabels { WithoutNodes, WithNodes };

/// Prometheus' text exposition format: a series for each of the most important 1,000 problems, for
/// each verdict that a DaemonSet has, and a few others; none for a count of zero. Every series
/// occurs once; the lines of a metric are contiguous.
[[nodiscard]] std::string prometheus_text(const fixes::Explanation& explanation,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions,
                                          MetricLabels labels = MetricLabels::WithoutNodes);

}  // namespace dsdoctor::render
