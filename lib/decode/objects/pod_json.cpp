#include <fmt/format.h>

#include <array>
#include <charconv>

#include "decode/objects/annotations.h"
#include "decode/objects/object_json.h"

namespace dsdoctor::decode {
namespace {

/// A port is a number or a name.
Json port_json(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::to_string(number) == text ? Json(number) : Json(text);
}

/// "httpGet /healthz:8080", "exec", "tcpSocket :80": as `read_probe` puts it together.
void put_handler(Json& into, std::string_view handler) {
  if (handler.empty()) return;
  const std::size_t blank = handler.find(' ');
  Json& fields = into[std::string(handler.substr(0, blank))] = Json::object();
  if (blank == std::string_view::npos) return;
  const std::string_view address = handler.substr(blank + 1);
  const std::size_t colon = address.rfind(':');
  put_text(fields, "path", address.substr(0, colon));
  if (colon + 1 < address.size()) fields["port"] = port_json(address.substr(colon + 1));
}

void put_probe(Json& into, const char* key, const std::optional<model::Probe>& probe) {
  if (!probe) return;
  Json& fields = into[key] = Json::object();
  put_handler(fields, probe->handler);
  put_number(fields, "initialDelaySeconds", probe->initial_delay);
  put_number(fields, "periodSeconds", probe->period);
  put_number(fields, "successThreshold", probe->success_threshold);
  put_number(fields, "failureThreshold", probe->failure_threshold);
}

Json container_port_json(const model::ContainerPort& port) {
  Json result = Json::object();
  put_number(result, "containerPort", port.container_port);
  put_number(result, "hostPort", port.host_port);
  put_text(result, "protocol", port.protocol);
  put_text(result, "hostIP", port.host_ip);
  return result;
}

Json container_json(const model::Container& container) {
  Json result = Json::object();
  put_text(result, "name", container.name);
  put_text(result, "image", container.image);
  put_text(result, "imagePullPolicy", container.image_pull_policy);
  put_text(result, "restartPolicy", container.restart_policy);
  Json resources = Json::object();
  put_map(resources, "requests", container.requests);
  put_map(resources, "limits", container.limits);
  put_part(result, "resources", std::move(resources));
  put_part(result, "ports", list_json(container.ports, container_port_json));
  put_probe(result, "startupProbe", container.startup_probe);
  put_probe(result, "readinessProbe", container.readiness_probe);
  put_probe(result, "livenessProbe", container.liveness_probe);
  if (container.privileged) result["securityContext"] = {{"privileged", true}};
  return result;
}

/// Which field of a volume's source identifies it.
struct SourceField {
  std::string_view kind;
  const char* field;
};
constexpr std::array<SourceField, 12> source_fields = {{
    {"secret", "secretName"},
    {"configMap", "name"},
    {"persistentVolumeClaim", "claimName"},
    {"csi", "driver"},
    {"flexVolume", "driver"},
    {"awsElasticBlockStore", "volumeID"},
    {"cinder", "volumeID"},
    {"portworxVolume", "volumeID"},
    {"azureFile", "secretName"},
    {"gcePersistentDisk", "pdName"},
    {"iscsi", "iqn"},
    {"rbd", "image"},
}};

const char* source_field(std::string_view kind) {
  for (const SourceField& source : source_fields) {
    if (source.kind == kind) return source.field;
  }
  return "path";
}

Json volume_json(const model::Volume& volume) {
  Json result = Json::object();
  put_text(result, "name", volume.name);
  Json& source = result[volume.kind.str()] = Json::object();
  put_text(source, source_field(volume.kind), volume.source);
  put_flag(source, "readOnly", volume.read_only);
  put_flag(source, "optional", volume.optional);
  return result;
}

Json affinity_term_json(const model::PodAffinityTerm& term) {
  Json result = Json::object();
  if (term.label_selector) result["labelSelector"] = label_selector_json(*term.label_selector);
  put_text(result, "topologyKey", term.topology_key);
  put_texts(result, "namespaces", term.namespaces);
  if (term.namespace_selector) {
    result["namespaceSelector"] = label_selector_json(*term.namespace_selector);
  }
  put_texts(result, "matchLabelKeys", term.match_label_keys);
  put_texts(result, "mismatchLabelKeys", term.mismatch_label_keys);
  return result;
}

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";

Json affinity_json(const std::optional<model::NodeSelector>& node, const model::PodSpec& spec) {
  Json result = Json::object();
  if (node) result["nodeAffinity"][required] = node_selector_json(*node);
  const auto add = [&](const char* key, const std::vector<model::PodAffinityTerm>& terms) {
    if (!terms.empty()) result[key][required] = list_json(terms, affinity_term_json);
  };
  add("podAffinity", spec.pod_affinity);
  add("podAntiAffinity", spec.pod_anti_affinity);
  return result;
}

Json spread_json(const model::TopologySpreadConstraint& constraint) {
  Json result = Json::object();
  put_text(result, "topologyKey", constraint.topology_key);
  put_number(result, "maxSkew", constraint.max_skew);
  put_text(result, "whenUnsatisfiable", constraint.when_unsatisfiable);
  if (constraint.label_selector) {
    result["labelSelector"] = label_selector_json(*constraint.label_selector);
  }
  if (constraint.min_domains) result["minDomains"] = *constraint.min_domains;
  put_text(result, "nodeAffinityPolicy", constraint.node_affinity_policy);
  put_text(result, "nodeTaintsPolicy", constraint.node_taints_policy);
  put_texts(result, "matchLabelKeys", constraint.match_label_keys);
  return result;
}

Json resource_claim_json(const model::PodResourceClaim& claim) {
  Json result = Json::object();
  put_text(result, "name", claim.name);
  put_text(result, "resourceClaimName", claim.claim_name);
  put_text(result, "resourceClaimTemplateName", claim.template_name);
  return result;
}

/// `[{"name": "a"}, {"name": "b"}]`
Json named_json(const std::vector<model::Text>& names, const char* key) {
  Json result = Json::array();
  for (const model::Text& name : names) result.push_back({{key, name.view()}});
  return result;
}

void put_identity(Json& into, const model::PodSpec& spec) {
  put_text(into, "serviceAccountName", spec.service_account);
  put_text(into, "schedulerName", spec.scheduler_name);
  put_text(into, "runtimeClassName", spec.runtime_class);
  put_text(into, "priorityClassName", spec.priority_class);
  put_text(into, "preemptionPolicy", spec.preemption_policy);
  if (spec.priority) into["priority"] = *spec.priority;
  if (spec.grace_seconds) into["terminationGracePeriodSeconds"] = *spec.grace_seconds;
  if (!spec.os.empty()) into["os"] = {{"name", spec.os.view()}};
  put_flag(into, "hostPID", spec.host_pid);
  put_flag(into, "hostIPC", spec.host_ipc);
}

Json terminated_json(const model::TerminatedState& state) {
  Json result = Json::object();
  put_number(result, "exitCode", state.exit_code);
  put_number(result, "signal", state.signal);
  put_text(result, "reason", state.reason);
  put_text(result, "message", state.message);
  put_time(result, "startedAt", state.started);
  put_time(result, "finishedAt", state.finished);
  return result;
}

Json state_json(const model::ContainerStatus& status) {
  Json result = Json::object();
  if (status.waiting) {
    Json& waiting = result["waiting"] = Json::object();
    put_text(waiting, "reason", status.waiting->reason);
    put_text(waiting, "message", status.waiting->message);
  }
  if (status.running) {
    put_time(result["running"] = Json::object(), "startedAt", status.running_since);
  }
  if (status.terminated) result["terminated"] = terminated_json(*status.terminated);
  return result;
}

/// `{"requests": ...}`; set, maybe empty, where the object has it.
void put_resized(Json& into, const std::optional<model::Labels>& requests) {
  if (requests) put_map(into["resources"] = Json::object(), "requests", *requests);
}

Json container_status_json(const model::ContainerStatus& status) {
  Json result = Json::object();
  put_text(result, "name", status.name);
  put_flag(result, "ready", status.ready);
  if (status.started) result["started"] = *status.started;
  put_number(result, "restartCount", status.restart_count);
  put_part(result, "state", state_json(status));
  if (status.last_terminated) {
    result["lastState"]["terminated"] = terminated_json(*status.last_terminated);
  }
  if (status.allocated_resources) {
    put_map(result, "allocatedResources", *status.allocated_resources);
  }
  put_resized(result, status.requests);
  return result;
}

Json status_json(const model::Pod& pod) {
  Json result = Json::object();
  put_text(result, "phase", pod.phase);
  put_text(result, "reason", pod.reason);
  put_text(result, "message", pod.message);
  put_text(result, "nominatedNodeName", pod.nominated_node);
  put_text(result, "qosClass", pod.qos_class);
  put_time(result, "startTime", pod.start_time);
  put_part(result, "conditions", list_json(pod.conditions, condition_json));
  put_part(result, "initContainerStatuses", list_json(pod.init_statuses, container_status_json));
  put_part(result, "containerStatuses", list_json(pod.statuses, container_status_json));
  put_map(result, "allocatedResources", pod.allocated_resources);
  put_resized(result, pod.resized_requests);
  return result;
}

}  // namespace

Json pod_spec_json(const PlacementFields& placement, const model::PodSpec& spec) {
  Json result = Json::object();
  put_text(result, "nodeName", placement.node_name);
  put_map(result, "nodeSelector", placement.node_selector);
  put_part(result, "affinity", affinity_json(placement.node_affinity, spec));
  put_part(result, "tolerations", list_json(placement.tolerations, toleration_json));
  put_flag(result, "hostNetwork", placement.host_network);
  put_part(result, "containers", list_json(spec.containers, container_json));
  put_part(result, "initContainers", list_json(spec.init_containers, container_json));
  put_part(result, "volumes", list_json(spec.volumes, volume_json));
  put_map(result, "overhead", spec.overhead);
  Json resources = Json::object();
  if (spec.requests) put_map(resources, "requests", *spec.requests);
  if (spec.limits) put_map(resources, "limits", *spec.limits);
  put_part(result, "resources", std::move(resources));
  put_part(result, "topologySpreadConstraints", list_json(spec.topology_spread, spread_json));
  put_part(result, "resourceClaims", list_json(spec.resource_claims, resource_claim_json));
  put_part(result, "schedulingGates", named_json(spec.scheduling_gates, "name"));
  put_part(result, "readinessGates", named_json(spec.readiness_gates, "conditionType"));
  put_part(result, "imagePullSecrets", named_json(spec.image_pull_secrets, "name"));
  put_identity(result, spec);
  return result;
}

Json to_json(const model::Pod& pod) {
  model::Labels annotations;
  if (pod.mirror) annotations = {{model::Text(mirror_annotation), model::Text()}};
  Json result = object_json("v1", "Pod", meta_json(pod.meta, annotations));
  put_part(result, "spec",
           pod_spec_json({pod.node_name, pod.node_selector, pod.node_affinity, *pod.tolerations,
                          pod.host_network},
                         *pod.spec));
  put_part(result, "status", status_json(pod));
  return result;
}

}  // namespace dsdoctor::decode
