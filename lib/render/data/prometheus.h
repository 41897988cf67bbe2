#pragma once

#include <string>
#include <vector>

#include "advice/explanation.h"
#include "model/cluster.h"

namespace dsdoctor::render {

/// Prometheus' text exposition format, for a file that node_exporter's textfile collector reads, or
/// a push gateway. Every series stands once; the lines of a metric stand together.
[[nodiscard]] std::string prometheus_text(const advice::Explanation& explanation,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions);

}  // namespace dsdoctor::render
