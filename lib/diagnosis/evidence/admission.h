// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/cluster.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {

/// The objects that admission would use for a new pod of `ds`, as far as they were read. Valid as
/// long as `cluster` exists unchanged.
[[nodiscard]] scheduling::Admission admission_of(const model::Cluster& cluster,
                                                 const model::DaemonSet& ds);

/// Pods with a priority below this value can be preempted for a new pod of `ds`. The lowest int64
/// if none can, the highest int64 if the priority is not known.
[[nodiscard]] std::int64_t preempts_below(const model::Cluster& cluster,
                                          const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
