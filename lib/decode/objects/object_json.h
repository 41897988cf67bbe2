#pragma once

#include "decode/json/json_fields.h"
#include "model/daemon_set.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/surroundings.h"

/// The model's objects as the API has them, with the fields that the model holds and no others:
/// what the readers of objects.h and surroundings.h make of it is equal to what was written.
/// Source of truth: k8s.io/api v0.36.2.
namespace dsdoctor::decode {

[[nodiscard]] Json to_json(const model::Node& node);
[[nodiscard]] Json to_json(const model::Pod& pod);
/// The reduced template has another fingerprint than the whole one: it is kept beside it, as
/// `template_fingerprint_annotation`.
[[nodiscard]] Json to_json(const model::DaemonSet& ds);
[[nodiscard]] Json to_json(const model::ControllerRevision& revision);

[[nodiscard]] Json to_json(const model::Event& event);
[[nodiscard]] Json to_json(const model::Namespace& ns);
[[nodiscard]] Json to_json(const model::ResourceQuota& quota);
[[nodiscard]] Json to_json(const model::LimitRange& range);
[[nodiscard]] Json to_json(const model::PriorityClass& priority);
[[nodiscard]] Json to_json(const model::RuntimeClass& runtime);
[[nodiscard]] Json to_json(const model::ServiceAccount& account);
[[nodiscard]] Json to_json(const model::PersistentVolumeClaim& claim);
[[nodiscard]] Json to_json(const model::PersistentVolume& volume);
[[nodiscard]] Json to_json(const model::StorageClass& storage);
[[nodiscard]] Json to_json(const model::CsiNode& node);
[[nodiscard]] Json to_json(const model::Lease& lease);
[[nodiscard]] Json to_json(const model::ClusterRole& role);
[[nodiscard]] Json to_json(const model::ClusterRoleBinding& binding);

/// `metadata`, with annotations where there are any.
[[nodiscard]] Json meta_json(const model::ObjectMeta& meta, const model::Labels& annotations = {});
/// `{"apiVersion": ..., "kind": ..., "metadata": ...}`
[[nodiscard]] Json object_json(const char* api_version, const char* kind, Json meta);

[[nodiscard]] Json requirement_json(const model::NodeSelectorRequirement& requirement);
[[nodiscard]] Json node_selector_json(const model::NodeSelector& selector);
[[nodiscard]] Json toleration_json(const model::Toleration& toleration);
[[nodiscard]] Json label_selector_json(const model::LabelSelector& selector);
[[nodiscard]] Json condition_json(const model::Condition& condition);

/// What stands in Pod and PodTemplate themselves.
struct PlacementFields {
  const model::Text& node_name;
  const model::Labels& node_selector;
  const std::optional<model::NodeSelector>& node_affinity;
  const std::vector<model::Toleration>& tolerations;
  bool host_network = false;
};
/// A pod's `spec`.
[[nodiscard]] Json pod_spec_json(const PlacementFields& placement, const model::PodSpec& spec);

}  // namespace dsdoctor::decode
