#pragma once

#include <algorithm>
#include <array>
#include <string_view>

/// Annotations that the model keeps something of.
namespace dsdoctor::model {

/// What node-feature-discovery maintains on a node.
inline constexpr std::string_view feature_labels_annotation =
    "nfd.node.kubernetes.io/feature-labels";
/// How far OpenShift's Machine Config Operator is with a node: Working, Rebooting, Done.
inline constexpr std::string_view machine_config_state_annotation =
    "machineconfiguration.openshift.io/state";
/// Of the API object that stands for a static pod.
inline constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";
/// The object as `kubectl apply` sent it last.
inline constexpr std::string_view last_applied_annotation =
    "kubectl.kubernetes.io/last-applied-configuration";
/// The node that the scheduler chose for a claim that is bound late.
inline constexpr std::string_view selected_node_annotation = "volume.kubernetes.io/selected-node";
/// What an admission plug-in adds to the pods of a namespace.
inline constexpr std::string_view default_tolerations_annotation =
    "scheduler.alpha.kubernetes.io/defaultTolerations";
/// The template's generation, which pods have as a label.
inline constexpr std::string_view template_generation_annotation =
    "deprecated.daemonset.template.generation";
/// Of the objects of a Snapshot, and honoured only there: the fingerprint of the whole template.
inline constexpr std::string_view template_fingerprint_annotation =
    "dsdoctor.io/template-fingerprint";
/// The same of the edits that were made since the last apply.
inline constexpr std::string_view spec_edits_annotation = "dsdoctor.io/spec-edits";
/// The same of what is in the manifest that was applied last.
inline constexpr std::string_view applied_template_annotation = "dsdoctor.io/applied-template";

/// Whether an answer reads this annotation of a DaemonSet or a namespace. Others are not kept: they
/// are long, and may hold anything.
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
  // Those tell that a namespace is a project of OpenShift.
  return key.starts_with("openshift.io/sa.scc.") ||
         std::find(read.begin(), read.end(), key) != read.end();
}

}  // namespace dsdoctor::model
