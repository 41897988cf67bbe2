#include "decode/objects/annotations.h"
#include "decode/objects/object_json.h"

namespace dsdoctor::decode {
namespace {

Json node_selector_term_json(const model::NodeSelectorTerm& term) {
  Json result = Json::object();
  put_part(result, "matchExpressions", list_json(term.match_expressions, requirement_json));
  put_part(result, "matchFields", list_json(term.match_fields, requirement_json));
  return result;
}

Json limit_json(const model::LimitRangeItem& item) {
  Json result = Json::object();
  put_text(result, "type", item.type);
  put_map(result, "min", item.min);
  put_map(result, "max", item.max);
  put_map(result, "default", item.default_limit);
  put_map(result, "defaultRequest", item.default_request);
  put_map(result, "maxLimitRequestRatio", item.max_ratio);
  return result;
}

/// scopeSelector.matchExpressions[], whose key has another name than everywhere else.
Json scope_json(const model::NodeSelectorRequirement& scope) {
  Json result = Json::object();
  put_text(result, "scopeName", scope.key);
  put_text(result, "operator", scope.op);
  put_texts(result, "values", scope.values);
  return result;
}

/// matchLabelExpressions[], which all mean In.
Json topology_requirement_json(const model::NodeSelectorRequirement& requirement) {
  Json result = Json::object();
  put_text(result, "key", requirement.key);
  put_texts(result, "values", requirement.values);
  return result;
}

Json topology_json(const model::NodeSelectorTerm& term) {
  Json result = Json::object();
  put_part(result, "matchLabelExpressions",
           list_json(term.match_expressions, topology_requirement_json));
  return result;
}

Json driver_json(const model::CsiDriverOnNode& driver) {
  Json result = Json::object();
  put_text(result, "name", driver.name);
  if (driver.limit) result["allocatable"] = {{"count", *driver.limit}};
  return result;
}

Json rule_json(const model::PolicyRule& rule) {
  Json result = Json::object();
  put_texts(result, "verbs", rule.verbs);
  put_texts(result, "apiGroups", rule.api_groups);
  put_texts(result, "resources", rule.resources);
  put_texts(result, "resourceNames", rule.resource_names);
  return result;
}

Json subject_json(const model::Subject& subject) {
  Json result = Json::object();
  put_text(result, "kind", subject.kind);
  put_text(result, "namespace", subject.ns);
  put_text(result, "name", subject.name);
  return result;
}

void put_phase(Json& into, const model::Text& phase) {
  if (!phase.empty()) into["status"]["phase"] = phase.view();
}

}  // namespace

Json requirement_json(const model::NodeSelectorRequirement& requirement) {
  Json result = Json::object();
  put_text(result, "key", requirement.key);
  put_text(result, "operator", requirement.op);
  put_texts(result, "values", requirement.values);
  return result;
}

Json node_selector_json(const model::NodeSelector& selector) {
  return {{"nodeSelectorTerms", list_json(selector.terms, node_selector_term_json)}};
}

Json toleration_json(const model::Toleration& toleration) {
  Json result = Json::object();
  put_text(result, "key", toleration.key);
  put_text(result, "operator", toleration.op);
  put_text(result, "value", toleration.value);
  put_text(result, "effect", toleration.effect);
  if (toleration.toleration_seconds) result["tolerationSeconds"] = *toleration.toleration_seconds;
  return result;
}

Json label_selector_json(const model::LabelSelector& selector) {
  Json result = Json::object();
  put_map(result, "matchLabels", selector.match_labels);
  put_part(result, "matchExpressions", list_json(selector.match_expressions, requirement_json));
  return result;
}

Json to_json(const model::Event& event) {
  Json result = object_json("v1", "Event", meta_json(event.meta));
  Json& about = result["involvedObject"] = Json::object();
  put_text(about, "kind", event.kind);
  put_text(about, "namespace", event.ns);
  put_text(about, "name", event.name);
  put_text(about, "uid", event.uid);
  put_text(about, "fieldPath", event.field_path);
  put_text(result, "type", event.type);
  put_text(result, "reason", event.reason);
  put_text(result, "message", event.message);
  Json source = Json::object();
  put_text(source, "component", event.component);
  put_text(source, "host", event.host);
  put_part(result, "source", std::move(source));
  put_time(result, "firstTimestamp", event.first);
  put_time(result, "lastTimestamp", event.last);
  put_number(result, "count", event.count);
  return result;
}

Json to_json(const model::Namespace& ns) {
  Json result = object_json("v1", "Namespace", meta_json(ns.meta, ns.annotations));
  put_phase(result, ns.phase);
  return result;
}

Json to_json(const model::ResourceQuota& quota) {
  Json result = object_json("v1", "ResourceQuota", meta_json(quota.meta));
  Json spec = Json::object();
  put_texts(spec, "scopes", quota.scopes);
  if (!quota.scope_selector.empty()) {
    spec["scopeSelector"]["matchExpressions"] = list_json(quota.scope_selector, scope_json);
  }
  put_part(result, "spec", std::move(spec));
  Json status = Json::object();
  put_map(status, "hard", quota.hard);
  put_map(status, "used", quota.used);
  put_part(result, "status", std::move(status));
  return result;
}

Json to_json(const model::LimitRange& range) {
  Json result = object_json("v1", "LimitRange", meta_json(range.meta));
  if (!range.limits.empty()) result["spec"]["limits"] = list_json(range.limits, limit_json);
  return result;
}

Json to_json(const model::PriorityClass& priority) {
  Json result = object_json("scheduling.k8s.io/v1", "PriorityClass", meta_json(priority.meta));
  put_number(result, "value", priority.value);
  put_flag(result, "globalDefault", priority.global_default);
  put_text(result, "preemptionPolicy", priority.preemption_policy);
  return result;
}

Json to_json(const model::RuntimeClass& runtime) {
  Json result = object_json("node.k8s.io/v1", "RuntimeClass", meta_json(runtime.meta));
  put_text(result, "handler", runtime.handler);
  if (!runtime.overhead.empty()) result["overhead"]["podFixed"] = map_json(runtime.overhead);
  Json scheduling = Json::object();
  put_map(scheduling, "nodeSelector", runtime.node_selector);
  put_part(scheduling, "tolerations", list_json(runtime.tolerations, toleration_json));
  put_part(result, "scheduling", std::move(scheduling));
  return result;
}

Json to_json(const model::ServiceAccount& account) {
  Json result = object_json("v1", "ServiceAccount", meta_json(account.meta));
  for (const model::Text& name : account.image_pull_secrets) {
    result["imagePullSecrets"].push_back({{"name", name.view()}});
  }
  return result;
}

Json to_json(const model::PersistentVolumeClaim& claim) {
  model::Labels annotations;
  if (!claim.selected_node.empty()) {
    annotations = {{model::Text(selected_node_annotation), claim.selected_node}};
  }
  Json result = object_json("v1", "PersistentVolumeClaim", meta_json(claim.meta, annotations));
  Json spec = Json::object();
  put_texts(spec, "accessModes", claim.access_modes);
  put_text(spec, "volumeName", claim.volume_name);
  put_text(spec, "storageClassName", claim.storage_class);
  if (!claim.requests.empty()) spec["resources"]["requests"] = map_json(claim.requests);
  put_part(result, "spec", std::move(spec));
  put_phase(result, claim.phase);
  return result;
}

Json to_json(const model::PersistentVolume& volume) {
  Json result = object_json("v1", "PersistentVolume", meta_json(volume.meta));
  Json spec = Json::object();
  put_texts(spec, "accessModes", volume.access_modes);
  put_text(spec, "storageClassName", volume.storage_class);
  put_map(spec, "capacity", volume.capacity);
  if (volume.node_affinity) {
    spec["nodeAffinity"]["required"] = node_selector_json(*volume.node_affinity);
  }
  if (!volume.driver.empty()) spec["csi"]["driver"] = volume.driver.view();
  Json claim = Json::object();
  put_text(claim, "namespace", volume.claim_ns);
  put_text(claim, "name", volume.claim_name);
  put_part(spec, "claimRef", std::move(claim));
  put_part(result, "spec", std::move(spec));
  put_phase(result, volume.phase);
  return result;
}

Json to_json(const model::StorageClass& storage) {
  Json result = object_json("storage.k8s.io/v1", "StorageClass", meta_json(storage.meta));
  put_text(result, "provisioner", storage.provisioner);
  put_text(result, "volumeBindingMode", storage.binding_mode);
  put_part(result, "allowedTopologies", list_json(storage.allowed_topologies, topology_json));
  return result;
}

Json to_json(const model::CsiNode& node) {
  Json result = object_json("storage.k8s.io/v1", "CSINode", meta_json(node.meta));
  if (!node.drivers.empty()) result["spec"]["drivers"] = list_json(node.drivers, driver_json);
  return result;
}

Json to_json(const model::Lease& lease) {
  Json result = object_json("coordination.k8s.io/v1", "Lease", meta_json(lease.meta));
  Json spec = Json::object();
  put_text(spec, "holderIdentity", lease.holder);
  put_number(spec, "leaseDurationSeconds", lease.duration);
  put_time(spec, "renewTime", lease.renewed);
  put_part(result, "spec", std::move(spec));
  return result;
}

Json to_json(const model::ClusterRole& role) {
  Json result = object_json("rbac.authorization.k8s.io/v1", "ClusterRole", meta_json(role.meta));
  put_part(result, "rules", list_json(role.rules, rule_json));
  return result;
}

Json to_json(const model::ClusterRoleBinding& binding) {
  Json result =
      object_json("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", meta_json(binding.meta));
  if (!binding.role.empty()) result["roleRef"] = {{"name", binding.role.view()}};
  put_part(result, "subjects", list_json(binding.subjects, subject_json));
  return result;
}

}  // namespace dsdoctor::decode
