// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"
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

/// Whether resources of an in-place resize count in addition to those of the pod's spec.
enum class Resized { Ignore, Honour };

/// Total requests of a pod: containers, init containers and sidecars, pod-level resources,
/// overhead. Use Resized::Ignore for a pod to be placed, Resized::Honour for a pod that is bound to
/// a node. Source of truth: kubernetes v1.36.2,
/// staging/src/k8s.io/component-helpers/resource/helpers.go: PodRequests,
/// AggregateContainerRequests.
[[nodiscard]] PodRequests pod_requests(const model::Pod& pod, Resized resized);

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
