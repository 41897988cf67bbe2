// SPDX-License-Identifier: Apache-2.0
#pragma once

// Findings about a pod none of whose containers has started: volumes, sandbox, network, devices,
// images.

#include <vector>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Whether the container waits for the whole pod's preparation, not for anything of its own.
[[nodiscard]] bool waits_for_pod(const model::ContainerStatus& status);

/// Reports the kubelet's warnings about volumes, the sandbox, the network and devices while no
/// container of the pod runs. `events` are the pod's, oldest first.
[[nodiscard]] std::vector<Finding> preparation_findings(const NodeCase& c, const model::Pod& pod,
                                                        const Facts::Events& events);

/// Reports why one of the containers waits if no other finding explains it: its image or, without a
/// kubelet event, ContainerCreating.
[[nodiscard]] std::vector<Finding> waiting_findings(const NodeCase& c, const model::Pod& pod,
                                                    const std::vector<model::Container>& containers,
                                                    const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
