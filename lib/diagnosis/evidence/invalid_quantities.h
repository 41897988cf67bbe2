#pragma once

#include <vector>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Amounts of nodes, DaemonSet templates and pods that Kubernetes would refuse, and that count as
/// nothing here. No API server stores one; files can hold them.
[[nodiscard]] std::vector<model::Warning> invalid_quantities(const model::Cluster& cluster);

}  // namespace dsdoctor::diagnosis
