#pragma once

#include <optional>
#include <vector>

#include "model/container_status.h"
#include "model/meta.h"
#include "model/pod_spec.h"
#include "model/scheduling.h"
#include "model/shared.h"

namespace dsdoctor::model {

struct Pod {
  ObjectMeta meta;
  Text node_name;                              // empty until bound
  SharedOptional<NodeSelector> node_affinity;  // the pod's own required terms: name its target node
  Text phase;                                  // Pending, Running, Succeeded, Failed, Unknown
  Text reason;                                 // status.reason: OutOfpods, Evicted, ...
  Text message;
  std::vector<Condition> conditions;

  Labels node_selector = {};
  Shared<std::vector<Toleration>> tolerations = {};
  bool host_network = false;
  Shared<PodSpec> spec = {};
  bool mirror = false;       // of a static manifest on its node
  Text nominated_node = {};  // status.nominatedNodeName
  Text qos_class = {};
  OptionalTime start_time = {};  // acknowledged by the kubelet
  OptionalTime last_write = {};  // the newest time of metadata.managedFields, which is not kept
  std::vector<ContainerStatus> init_statuses = {};
  std::vector<ContainerStatus> statuses = {};
  // Of a resize in place of the pod as a whole. Set, maybe empty, where status has `resources`.
  std::optional<Labels> resized_requests = {};  // status.resources.requests
  Labels allocated_resources = {};              // status.allocatedResources

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace dsdoctor::model
