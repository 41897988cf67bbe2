// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Problems of the pods that the DaemonSet's spec causes: priority, requests, claims, selectors.
namespace dsdoctor::diagnosis {

/// Reports daemonset-no-priority if pods wait for room, daemonset-best-effort if a pod was evicted,
/// daemonset-shared-claim and daemonset-selector-overlap.
[[nodiscard]] std::vector<Finding> spec_findings(const DaemonSetCase& c);

/// Reports claims that all pods mount although only few nodes can mount them.
[[nodiscard]] std::vector<Finding> shared_claim_findings(const DaemonSetCase& c);

/// Whether neither a container nor the pod as a whole requests cpu or memory.
[[nodiscard]] bool is_best_effort(const model::PodSpec& spec);

/// Evidence that the template sets no requests.
[[nodiscard]] Evidence requests_evidence(const DaemonSetCase& c);

/// The priority of new pods; absent if the priority classes that decide were not read.
[[nodiscard]] std::optional<std::int64_t> resolved_priority(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
