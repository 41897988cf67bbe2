#pragma once

#include <cstdint>

#include "model/cluster.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {

/// What admission would add to a new pod of `ds`, as far as it was read. Valid as long as `cluster`
/// is there unchanged.
[[nodiscard]] scheduling::Admission admission_of(const model::Cluster& cluster,
                                                 const model::DaemonSet& ds);

/// Pods of a lower priority may be preempted for a new pod of `ds`. The lowest number where none
/// may, the highest where its priority was not read.
[[nodiscard]] std::int64_t preempts_below(const model::Cluster& cluster,
                                          const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
