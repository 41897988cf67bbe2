// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/release.h"

/// The features of a kubelet that a pod requires by its spec: scheduler plugin
/// NodeDeclaredFeatures. Source of truth: k8s.io/component-helpers/nodedeclaredfeatures
/// of 1.36.3, 1.37.2 and 1.38.0-beta.0. Features that only updates of pods require (in-place
/// resize), or that another plugin evaluates (DRAOptionalNodeOperations), are not among them.
namespace dsdoctor::scheduling {

struct NodeFeature {
  std::string_view name;  // in status.declaredFeatures; the kubelet's feature gate has this name
  int since;              // minor release of the first schedulers and kubelets that know it
  bool needs_runtime;     // the container runtime has to support it, too
};

/// A field of a pod's spec that requires a feature.
struct FeatureNeed {
  const NodeFeature* feature;  // never null
  std::string path;            // "containers[0].restartPolicyRules[1].action"; empty: not known
  std::string value;
};
using FeatureNeeds = std::vector<FeatureNeed>;

/// Null if no release that was read has such a feature.
[[nodiscard]] const NodeFeature* find_node_feature(std::string_view name);

/// The needs of the pod that a scheduler of the release evaluates, one for each feature, sorted by
/// its name.
[[nodiscard]] FeatureNeeds required_features(const model::PodSpec& spec, bool host_network,
                                             model::Release release);

[[nodiscard]] bool declares(const model::Node& node, const NodeFeature& feature);

/// Why a node does not declare a feature.
enum class FeatureLack {
  KubeletUnknown,  // its version was not reported
  KubeletTooOld,
  GateOff,
};
[[nodiscard]] FeatureLack feature_lack(const model::Node& node, const NodeFeature& feature);

}  // namespace dsdoctor::scheduling
