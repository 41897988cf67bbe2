#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why a pod whose containers run is not ready.
[[nodiscard]] std::vector<Finding> readiness_findings(const NodeCase& c, const model::Pod& pod,
                                                      const Facts::Events& events);

/// Of a pod that is ready: not long enough to be available, or restarted often.
[[nodiscard]] std::vector<Finding> ready_pod_findings(const NodeCase& c, const model::Pod& pod);

/// Seconds after its start by which a container's startup and readiness probes have either passed
/// or failed for good. What the object does not say counts as the API server would fill it in; a
/// number that it would refuse counts as its nearest legal one.
[[nodiscard]] std::int64_t probe_budget(const model::Container& container);

}  // namespace dsdoctor::diagnosis
