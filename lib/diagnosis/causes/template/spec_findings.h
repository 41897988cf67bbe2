#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// What a DaemonSet's spec makes of the trouble that its pods have: priority, requests, claims,
/// selectors.
namespace dsdoctor::diagnosis {

/// daemonset-no-priority where pods wait for room, daemonset-best-effort where one was evicted,
/// daemonset-shared-claim and daemonset-selector-overlap.
[[nodiscard]] std::vector<Finding> spec_findings(const DaemonSetCase& c);

/// Claims that all pods mount, though few nodes can.
[[nodiscard]] std::vector<Finding> shared_claim_findings(const DaemonSetCase& c);

/// No container asks for cpu or memory, nor does the pod as a whole.
[[nodiscard]] bool is_best_effort(const model::PodSpec& spec);

/// Where the template would ask for them.
[[nodiscard]] Evidence requests_evidence(const DaemonSetCase& c);

/// The priority that new pods get; absent where the classes that decide were not read.
[[nodiscard]] std::optional<std::int64_t> resolved_priority(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
