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
  /// Quantities that no API server accepts, as "containers[app].requests[cpu]: garbage". They
  /// count as nothing.
  std::vector<std::string> unusable;
};

/// Whether resources that a running pod was given in place count beside those of its spec.
enum class Resized { Ignore, Honour };

/// What a pod requests as a whole: containers, init containers and sidecars, pod-level resources,
/// overhead. For a pod that is yet to be placed Resized::Ignore is right, for one that occupies a
/// node Resized::Honour.
/// Source of truth: kubernetes v1.36.2, staging/src/k8s.io/component-helpers/resource/helpers.go:
/// PodRequests, AggregateContainerRequests.
[[nodiscard]] PodRequests pod_requests(const model::Pod& pod, Resized resized);

/// Runs beside the app containers: an init container that is restarted always.
[[nodiscard]] inline bool is_sidecar(const model::Container& init_container) {
  return init_container.restart_policy == "Always";
}

/// cpu, memory and huge pages: what a pod can request as a whole.
[[nodiscard]] bool is_pod_level_resource(std::string_view name);

/// `labels` as amounts; what is unusable goes to `unusable`, as "where[name]: text".
[[nodiscard]] Amounts amounts_of(const model::Labels& labels, const std::string& where,
                                 std::vector<std::string>& unusable);

}  // namespace dsdoctor::scheduling
