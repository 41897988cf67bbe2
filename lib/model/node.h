// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace dsdoctor::model
