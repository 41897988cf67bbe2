#pragma once

#include <string_view>

/// Annotations that the model keeps something of.
namespace dsdoctor::model {

/// What node-feature-discovery maintains on a node.
inline constexpr std::string_view feature_labels_annotation =
    "nfd.node.kubernetes.io/feature-labels";
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
/// Of the objects of a Snapshot, and honoured only there: the fingerprint of the whole template.
inline constexpr std::string_view template_fingerprint_annotation =
    "dsdoctor.io/template-fingerprint";
/// The same of the edits that were made since the last apply.
inline constexpr std::string_view spec_edits_annotation = "dsdoctor.io/spec-edits";
/// The same of what stands in the manifest that was applied last.
inline constexpr std::string_view applied_template_annotation = "dsdoctor.io/applied-template";

}  // namespace dsdoctor::model
