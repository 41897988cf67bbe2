#pragma once

// What a pod waits for before any of its containers can start: volumes, sandbox, network, devices,
// images.

#include <vector>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Waits for what the whole pod waits for, not for anything of its own.
[[nodiscard]] bool waits_for_pod(const model::ContainerStatus& status);

/// What the kubelet warns of where no container of the pod runs: of volumes, the sandbox, the
/// network, devices. `events` are the pod's, oldest first.
[[nodiscard]] std::vector<Finding> preparation_findings(const NodeCase& c, const model::Pod& pod,
                                                        const Facts::Events& events);

/// What one of the containers waits for where no other finding tells it: its image or, without a
/// word of the kubelet, ContainerCreating.
[[nodiscard]] std::vector<Finding> waiting_findings(const NodeCase& c, const model::Pod& pod,
                                                    const std::vector<model::Container>& containers,
                                                    const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
