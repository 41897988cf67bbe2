// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Warnings about quantities of nodes, DaemonSet templates and pods that Kubernetes would reject
/// and that count as 0 here. Only files can have them, not an API server.
[[nodiscard]] std::vector<model::Warning> invalid_quantities(const model::Cluster& cluster);

/// Evidence of invalid quantities in the node's status.allocatable.
[[nodiscard]] std::vector<Evidence> invalid_offers(const model::Node& node);
/// Evidence of invalid quantities in a pod's spec, which is at path `field` ("spec") of `object`.
[[nodiscard]] std::vector<Evidence> invalid_requests(const model::PodSpec& spec,
                                                     const ObjectRef& object,
                                                     std::string_view field);

}  // namespace dsdoctor::diagnosis
