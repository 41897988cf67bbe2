#include "decode/objects/object_json.h"

#include <fmt/format.h>

#include "decode/objects/annotations.h"
#include "decode/objects/spec_edits.h"

namespace dsdoctor::decode {
namespace {

Json owner_json(const model::ControllerRef& ref) {
  Json result = Json::object();
  put_text(result, "kind", ref.kind);
  put_text(result, "name", ref.name);
  put_text(result, "uid", ref.uid);
  result["controller"] = true;
  return result;
}

Json owned_fields_json(const model::FieldManager& entry) {
  Json fields = Json::object();
  for (const model::Text& label : entry.labels) {
    fields["f:metadata"]["f:labels"]["f:" + label.str()] = Json::object();
  }
  if (!entry.spec) return fields;
  Json& spec = fields["f:spec"] = Json::object();
  if (entry.taints) spec["f:taints"] = Json::object();
  if (entry.unschedulable) spec["f:unschedulable"] = Json::object();
  if (entry.tolerations) spec["f:template"]["f:spec"]["f:tolerations"] = Json::object();
  return fields;
}

Json manager_json(const model::FieldManager& entry) {
  Json result = Json::object();
  put_text(result, "manager", entry.manager);
  put_text(result, "operation", entry.operation);
  put_text(result, "subresource", entry.subresource);
  put_time(result, "time", entry.time);
  put_part(result, "fieldsV1", owned_fields_json(entry));
  return result;
}

Json taint_json(const model::Taint& taint) {
  Json result = Json::object();
  put_text(result, "key", taint.key);
  put_text(result, "value", taint.value);
  put_text(result, "effect", taint.effect);
  put_time(result, "timeAdded", taint.time_added);
  return result;
}

Json node_info_json(const model::Node& node) {
  Json result = Json::object();
  put_text(result, "kubeletVersion", node.kubelet_version);
  put_text(result, "operatingSystem", node.os);
  put_text(result, "architecture", node.architecture);
  put_text(result, "osImage", node.os_image);
  put_text(result, "kernelVersion", node.kernel_version);
  put_text(result, "containerRuntimeVersion", node.container_runtime);
  return result;
}

Json amount_json(const model::IntOrPercent& amount) {
  return amount.percent ? Json(fmt::format("{}%", amount.value)) : Json(amount.value);
}

Json strategy_json(const model::DaemonSet& ds) {
  Json budget = Json::object();
  if (ds.max_unavailable) budget["maxUnavailable"] = amount_json(*ds.max_unavailable);
  if (ds.max_surge) budget["maxSurge"] = amount_json(*ds.max_surge);
  Json result = Json::object();
  put_text(result, "type", ds.update_strategy);
  put_part(result, "rollingUpdate", std::move(budget));
  return result;
}

Json template_json(const model::PodTemplate& of) {
  Json meta = Json::object();
  put_map(meta, "labels", of.labels);
  Json result = Json::object();
  put_part(result, "metadata", std::move(meta));
  put_part(result, "spec",
           pod_spec_json(
               {of.node_name, of.node_selector, of.node_affinity, of.tolerations, of.host_network},
               of.spec));
  return result;
}

Json status_json(const model::DaemonSet& ds) {
  const model::DaemonSetCounts& counts = ds.reported;
  Json result = Json::object();
  put_number(result, "desiredNumberScheduled", counts.desired_number_scheduled);
  put_number(result, "currentNumberScheduled", counts.current_number_scheduled);
  put_number(result, "numberMisscheduled", counts.number_misscheduled);
  put_number(result, "numberReady", counts.number_ready);
  put_number(result, "numberAvailable", counts.number_available);
  put_number(result, "updatedNumberScheduled", counts.updated_number_scheduled);
  put_number(result, "observedGeneration", ds.observed_generation);
  return result;
}

/// `annotations` with the fingerprint; 16 hexadecimal digits.
model::Labels with_fingerprint(model::Labels annotations, std::uint64_t fingerprint) {
  if (fingerprint != 0) {
    annotations.set(model::Text(template_fingerprint_annotation),
                    model::Text(fmt::format("{:016x}", fingerprint)));
  }
  return annotations;
}

}  // namespace

Json meta_json(const model::ObjectMeta& meta, const model::Labels& annotations) {
  Json result = Json::object();
  put_text(result, "name", meta.name);
  put_text(result, "namespace", meta.ns);
  put_text(result, "uid", meta.uid);
  put_text(result, "resourceVersion", meta.resource_version);
  put_time(result, "creationTimestamp", meta.created);
  put_time(result, "deletionTimestamp", meta.deleted);
  if (meta.grace_seconds) result["deletionGracePeriodSeconds"] = *meta.grace_seconds;
  put_map(result, "labels", meta.labels);
  put_map(result, "annotations", annotations);
  put_texts(result, "finalizers", meta.finalizers);
  if (meta.controller) result["ownerReferences"] = Json::array({owner_json(*meta.controller)});
  put_part(result, "managedFields", list_json(meta.managers, manager_json));
  return result;
}

Json object_json(const char* api_version, const char* kind, Json meta) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", std::move(meta)}};
}

Json condition_json(const model::Condition& condition) {
  Json result = Json::object();
  put_text(result, "type", condition.type);
  put_text(result, "status", condition.status);
  put_text(result, "reason", condition.reason);
  put_text(result, "message", condition.message);
  put_time(result, "lastTransitionTime", condition.last_transition);
  put_time(result, "lastHeartbeatTime", condition.last_heartbeat);
  return result;
}

Json to_json(const model::Node& node) {
  model::Labels annotations;
  if (!node.feature_labels.empty()) {
    annotations = {{model::Text(feature_labels_annotation), node.feature_labels}};
  }
  Json result = object_json("v1", "Node", meta_json(node.meta, annotations));
  Json spec = Json::object();
  put_part(spec, "taints", list_json(node.taints, taint_json));
  put_flag(spec, "unschedulable", node.unschedulable);
  put_text(spec, "providerID", node.provider_id);
  put_part(result, "spec", std::move(spec));
  Json status = Json::object();
  put_map(status, "capacity", node.capacity);
  put_map(status, "allocatable", node.allocatable);
  put_part(status, "conditions", list_json(node.conditions, condition_json));
  put_part(status, "nodeInfo", node_info_json(node));
  put_part(result, "status", std::move(status));
  return result;
}

Json to_json(const model::DaemonSet& ds) {
  model::Labels annotations = with_fingerprint(ds.annotations, ds.template_fingerprint);
  if (!ds.edits.empty()) {
    annotations.set(model::Text(spec_edits_annotation), model::Text(edits_text(ds.edits)));
  }
  if (ds.applied) {
    annotations.set(model::Text(applied_template_annotation),
                    model::Text(applied_text(*ds.applied)));
  }
  Json meta = meta_json(ds.meta, annotations);
  put_number(meta, "generation", ds.generation);
  Json result = object_json("apps/v1", "DaemonSet", std::move(meta));
  Json spec = Json::object();
  if (ds.selector) spec["selector"] = label_selector_json(*ds.selector);
  put_part(spec, "template", template_json(ds.pod_template));
  put_number(spec, "minReadySeconds", ds.min_ready_seconds);
  put_part(spec, "updateStrategy", strategy_json(ds));
  put_part(result, "spec", std::move(spec));
  put_part(result, "status", status_json(ds));
  return result;
}

Json to_json(const model::ControllerRevision& revision) {
  const model::Labels annotations = with_fingerprint({}, revision.template_fingerprint);
  Json result = object_json("apps/v1", "ControllerRevision", meta_json(revision.meta, annotations));
  put_number(result, "revision", revision.revision);
  return result;
}

}  // namespace dsdoctor::decode
