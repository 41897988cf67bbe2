// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

/// Keys of the annotations that the model reads.
namespace dsdoctor::model {

/// The labels that node-feature-discovery maintains on a node.
inline constexpr std::string_view feature_labels_annotation =
    "nfd.node.kubernetes.io/feature-labels";
/// Progress of OpenShift's Machine Config Operator on a node: Working, Rebooting, Done.
inline constexpr std::string_view machine_config_state_annotation =
    "machineconfiguration.openshift.io/state";
/// Marks a mirror pod, the API object of a static pod.
inline constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";
/// "true" keeps Karpenter from removing the pod's node.
inline constexpr std::string_view do_not_disrupt_annotation = "karpenter.sh/do-not-disrupt";
/// "false" keeps cluster-autoscaler from removing the pod's node.
inline constexpr std::string_view safe_to_evict_annotation =
    "cluster-autoscaler.kubernetes.io/safe-to-evict";
/// The object as the last `kubectl apply` sent it.
inline constexpr std::string_view last_applied_annotation =
    "kubectl.kubernetes.io/last-applied-configuration";
/// Set by `kubectl rollout restart` in a pod template: the time.
inline constexpr std::string_view restarted_at_annotation = "kubectl.kubernetes.io/restartedAt";
/// The node that the scheduler chose for a claim with WaitForFirstConsumer.
inline constexpr std::string_view selected_node_annotation = "volume.kubernetes.io/selected-node";
/// The tolerations that the admission plugin PodTolerationRestriction adds to pods of a namespace.
inline constexpr std::string_view default_tolerations_annotation =
    "scheduler.alpha.kubernetes.io/defaultTolerations";
/// The generation of the template; pods have it as a label.
inline constexpr std::string_view template_generation_annotation =
    "deprecated.daemonset.template.generation";
/// The fingerprint of the whole template. Only in objects of a Snapshot, and read only there.
inline constexpr std::string_view template_fingerprint_annotation =
    "dsdoctor.io/template-fingerprint";
/// The same for the edits that were made since the last apply.
inline constexpr std::string_view spec_edits_annotation = "dsdoctor.io/spec-edits";
/// The same for the AppliedTemplate: the parts of the template in the manifest applied last.
inline constexpr std::string_view applied_template_annotation = "dsdoctor.io/applied-template";

/// Reports whether an answer needs this annotation of a DaemonSet or a namespace. Others are not
/// kept: they can be long and contain anything.
[[nodiscard]] constexpr bool is_read_annotation(std::string_view key) {
  constexpr std::array<std::string_view, 11> read = {
      "argocd.argoproj.io/tracking-id",
      "cluster-autoscaler.kubernetes.io/enable-ds-eviction",
      "components.gke.io/component-name",
      "deprecated.daemonset.template.generation",
      last_applied_annotation,
      "meta.helm.sh/release-name",
      "meta.helm.sh/release-namespace",
      "openshift.io/node-selector",
      default_tolerations_annotation,
      "scheduler.alpha.kubernetes.io/node-selector",
      "scheduler.alpha.kubernetes.io/tolerationsWhitelist"};
  // These mark a namespace as an OpenShift project.
  return key.starts_with("openshift.io/sa.scc.") ||
         std::find(read.begin(), read.end(), key) != read.end();
}

}  // namespace dsdoctor::model
