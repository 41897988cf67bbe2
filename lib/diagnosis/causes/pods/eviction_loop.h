// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports a NoExecute taint that the DaemonSet controller considers tolerated, while the taint
/// controller deletes the pod after tolerationSeconds: the pod is deleted and recreated forever.
/// Cheap on a node without NoExecute taints.
[[nodiscard]] std::vector<Finding> eviction_loop_findings(const NodeCase& c);

/// Events of this reason within the last hour about pods that were on the node, oldest first.
[[nodiscard]] Facts::Events evictions_on(const NodeCase& c, std::string_view reason);
/// The number of evictions that the events report.
[[nodiscard]] std::int64_t count_of(const Facts::Events& evictions);

/// The taint controller will delete the pod, whatever the DaemonSet controller decides: a NoExecute
/// taint is tolerated for some seconds only.
struct EvictionAhead {
  const model::Taint* taint = nullptr;  // of the node; never null
  std::int64_t seconds = 0;
  model::OptionalTime due;  // absent if the time of the taint is unknown
};
[[nodiscard]] std::optional<EvictionAhead> eviction_ahead(const NodeCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
