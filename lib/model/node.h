// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/labels.h"
#include "model/meta.h"
#include "model/scheduling.h"

namespace dsdoctor::model {

struct Node {
  ObjectMeta meta;
  std::vector<Taint> taints;   // in the order of spec.taints
  bool unschedulable = false;  // spec.unschedulable; does not affect pods of DaemonSets
  std::vector<Condition> conditions;
  Labels allocatable;  // resource name -> quantity, as written
  Labels capacity;
  Text kubelet_version;
  Text os = {};            // status.nodeInfo.operatingSystem
  Text architecture = {};  // status.nodeInfo.architecture
  Text os_image = {};
  Text kernel_version = {};
  Text container_runtime = {};  // containerRuntimeVersion
  Text provider_id = {};
  Text feature_labels = {};                  // annotation nfd.node.kubernetes.io/feature-labels
  std::vector<Text> declared_features = {};  // status.declaredFeatures
  Text machine_config_state = {};            // annotation machineconfiguration.openshift.io/state

  friend bool operator==(const Node&, const Node&) = default;
};

/// The plan of new nodes: what an autoscaler or a machine controller gives each of them.
struct NodeTemplate {
  Text kind = {};   // "NodePool", "MachineDeployment", "MachineSet", "AutoScalingGroup"
  Text group = {};  // of the API; empty for an AutoScalingGroup
  Text ns = {};
  Text name = {};
  Labels labels = {};  // that every node gets
  std::vector<NodeSelectorRequirement> requirements =
      {};  // on labels, ANDed: a node has one of them
  std::vector<Taint> taints = {};
  std::vector<Taint> startup_taints = {};  // are removed once the node is ready
  Labels capacity = {};                    // resource name -> quantity; empty: not known
  std::optional<std::int64_t> replicas = {};

  friend bool operator==(const NodeTemplate&, const NodeTemplate&) = default;
};

}  // namespace dsdoctor::model
