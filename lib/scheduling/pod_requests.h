// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"
#include "model/release.h"
#include "scheduling/quantity.h"

namespace dsdoctor::scheduling {

/// Resource name -> amount.
using Amounts = std::map<std::string, Quantity, std::less<>>;

struct PodRequests {
  Amounts amounts;
  /// Quantities that the API server rejects, as "containers[app].requests[cpu]: garbage". They
  /// count as 0.
  std::vector<std::string> unusable;
};

/// The amounts of a pod that count. During an in-place resize its status differs from its spec.
enum class CountedBy : std::uint8_t {
  Spec,        // for a pod that is not bound to a node yet
  Containers,  // for each container the largest of spec and status; up to Kubernetes 1.36
  WholePod,    // the largest of the sums over all containers; from Kubernetes 1.37 on
};

/// The rule of a release for a pod that occupies a node.
[[nodiscard]] CountedBy counted_by(model::Release release);

/// The requests of a whole pod: containers, init containers and sidecars, pod-level resources,
/// overhead. With CountedBy::WholePod the overhead of a pod with `status.allocatedResources` counts
/// twice, as in Kubernetes: the kubelet has included it there.
/// Source of truth: kubernetes v1.36.3 and v1.37.2,
/// staging/src/k8s.io/component-helpers/resource/helpers.go: PodRequests,
/// AggregateContainerRequests.
[[nodiscard]] PodRequests pod_requests(const model::Pod& pod, CountedBy counted_by);

/// Whether the init container runs beside the app containers: its restartPolicy is Always.
[[nodiscard]] inline bool is_sidecar(const model::Container& init_container) {
  return init_container.restart_policy == "Always";
}

/// Whether a pod can request the resource at pod level: cpu, memory and huge pages.
[[nodiscard]] bool is_pod_level_resource(std::string_view name);

/// Parses the quantities of `labels`; appends invalid ones to `unusable` as "where[name]: text".
[[nodiscard]] Amounts amounts_of(const model::Labels& labels, const std::string& where,
                                 std::vector<std::string>& unusable);

}  // namespace dsdoctor::scheduling
