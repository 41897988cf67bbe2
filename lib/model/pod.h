// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/container_status.h"
#include "model/meta.h"
#include "model/pod_spec.h"
#include "model/scheduling.h"
#include "model/shared.h"
#include "model/timed_list.h"

namespace dsdoctor::model {

using PodConditions = TimedList<Condition, &Condition::last_transition>;
using ContainerStatuses = TimedList<ContainerStatus, &ContainerStatus::running_since>;

/// The first condition of that type, which is the one that Kubernetes reads.
[[nodiscard]] inline Found<Condition> find_condition(const PodConditions& conditions,
                                                     std::string_view type) {
  return conditions.find_first([&](const Condition& one) { return one.type == type; });
}

[[nodiscard]] inline Found<ContainerStatus> find_status(const ContainerStatuses& statuses,
                                                        std::string_view container) {
  return statuses.find_first([&](const ContainerStatus& one) { return one.name == container; });
}

struct Pod {
  ObjectMeta meta;
  Text node_name;                              // empty until bound
  SharedOptional<NodeSelector> node_affinity;  // required terms, which name the target node
  Text phase;                                  // Pending, Running, Succeeded, Failed, Unknown
  Text reason;                                 // status.reason: OutOfpods, Evicted, ...
  Text message;
  PodConditions conditions;

  Labels node_selector = {};
  Shared<std::vector<Toleration>> tolerations = {};
  Shared<PodSpec> spec = {};
  bool host_network = false;
  bool mirror = false;       // of a static pod of its node
  Text do_not_disrupt = {};  // annotation karpenter.sh/do-not-disrupt
  Text safe_to_evict = {};   // annotation cluster-autoscaler.kubernetes.io/safe-to-evict
  Text nominated_node = {};  // status.nominatedNodeName
  Text qos_class = {};
  OptionalTime start_time = {};  // time at which the kubelet accepted the pod
  OptionalTime last_write = {};  // the newest time of metadata.managedFields, which is not kept
  ContainerStatuses init_statuses = {};
  ContainerStatuses statuses = {};
  // For in-place resize of the pod as a whole. Set, maybe empty, if status has `resources`.
  SharedOptional<Labels> resized_requests = {};  // status.resources.requests
  Labels allocated_resources = {};               // status.allocatedResources

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace dsdoctor::model
