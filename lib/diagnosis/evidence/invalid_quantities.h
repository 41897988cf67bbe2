#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Amounts of nodes, DaemonSet templates and pods that Kubernetes would refuse, and that count as
/// nothing here. No API server stores one; files can hold them.
[[nodiscard]] std::vector<model::Warning> invalid_quantities(const model::Cluster& cluster);

/// Those of what the node offers to pods.
[[nodiscard]] std::vector<Evidence> invalid_offers(const model::Node& node);
/// Those of a pod's spec, which is `object` at `field`: "spec".
[[nodiscard]] std::vector<Evidence> invalid_requests(const model::PodSpec& spec,
                                                     const ObjectRef& object,
                                                     std::string_view field);

}  // namespace dsdoctor::diagnosis
