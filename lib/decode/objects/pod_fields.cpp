#include "decode/objects/pod_fields.h"

#include <fmt/format.h>

#include "decode/objects/selector_fields.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

/// A port is a number or a name.
model::Text port_text(JsonReader& reader, Value value) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) == simdjson::SUCCESS &&
      type == simdjson::ondemand::json_type::number) {
    return {std::to_string(reader.integer(value))};
  }
  return reader.text(value);
}

model::Text read_handler(JsonReader& reader, std::string_view kind, Value value) {
  model::Text path;
  model::Text port;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "path") path = reader.text(field);
    if (key == "port") port = port_text(reader, field);
  });
  if (kind == "httpGet") return {http_handler(path, port)};
  if (kind == "exec") return {"exec"};
  return {fmt::format("{} :{}", kind, port.view())};
}

model::Probe read_probe(JsonReader& reader, Value value) {
  model::Probe probe;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "httpGet" || key == "exec" || key == "tcpSocket" || key == "grpc")
      probe.handler = read_handler(reader, key, field);
    else if (key == "initialDelaySeconds")
      probe.initial_delay = reader.integer(field);
    else if (key == "periodSeconds")
      probe.period = reader.integer(field);
    else if (key == "successThreshold")
      probe.success_threshold = reader.integer(field);
    else if (key == "failureThreshold")
      probe.failure_threshold = reader.integer(field);
  });
  return probe;
}

void read_probe_field(JsonReader& reader, Value value, std::optional<model::Probe>& into) {
  if (!reader.is_null(value)) into = read_probe(reader, value);
}

std::vector<model::ContainerPort> read_ports(JsonReader& reader, Value value) {
  std::vector<model::ContainerPort> result;
  reader.array(value, [&](Value element) {
    model::ContainerPort& port = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "containerPort")
        port.container_port = reader.integer(field);
      else if (key == "hostPort")
        port.host_port = reader.integer(field);
      else if (key == "protocol")
        port.protocol = reader.text(field);
      else if (key == "hostIP")
        port.host_ip = reader.text(field);
    });
  });
  return result;
}

void read_container(JsonReader& reader, Value value, model::Container& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "name")
      into.name = reader.text(field);
    else if (key == "image")
      into.image = reader.text(field);
    else if (key == "imagePullPolicy")
      into.image_pull_policy = reader.text(field);
    else if (key == "restartPolicy")
      into.restart_policy = reader.text(field);
    else if (key == "ports")
      into.ports = read_ports(reader, field);
    else if (key == "startupProbe")
      read_probe_field(reader, field, into.startup_probe);
    else if (key == "readinessProbe")
      read_probe_field(reader, field, into.readiness_probe);
    else if (key == "livenessProbe")
      read_probe_field(reader, field, into.liveness_probe);
    else if (key == "resources") {
      reader.object(field, [&](std::string_view name, Value list) {
        if (name == "requests") into.requests = read_quantities(reader, list);
        if (name == "limits") into.limits = read_quantities(reader, list);
      });
    } else if (key == "securityContext") {
      reader.object(field, [&](std::string_view name, Value flag) {
        if (name == "privileged") into.privileged = reader.boolean(flag);
      });
    }
  });
}

std::vector<model::Container> read_containers(JsonReader& reader, Value value) {
  std::vector<model::Container> result;
  reader.array(value,
               [&](Value element) { read_container(reader, element, result.emplace_back()); });
  return result;
}

/// The names that identify a volume's source, whatever its kind.
void read_volume_source(JsonReader& reader, Value value, model::Volume& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    const bool names = key == "path" || key == "secretName" || key == "claimName" ||
                       key == "driver" || key == "volumeID" || key == "pdName" || key == "iqn" ||
                       key == "image";
    if (names || (key == "name" && into.kind == "configMap"))
      into.source = reader.text(field);
    else if (key == "readOnly")
      into.read_only = reader.boolean(field);
    else if (key == "optional")
      into.optional = reader.boolean(field);
  });
}

/// Sources that every pod may have and that wait for nothing.
bool is_local(std::string_view kind) {
  return kind == "projected" || kind == "emptyDir" || kind == "downwardAPI";
}

std::vector<model::Volume> read_volumes(JsonReader& reader, Value value) {
  std::vector<model::Volume> result;
  reader.array(value, [&](Value element) {
    model::Volume volume;
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "name") {
        volume.name = reader.text(field);
      } else if (!reader.is_null(field)) {
        volume.kind = model::Text(key);
        if (!is_local(key)) read_volume_source(reader, field, volume);
      }
    });
    if (!volume.kind.empty() && !is_local(volume.kind)) result.push_back(std::move(volume));
  });
  return result;
}

std::vector<model::PodAffinityTerm> read_terms(JsonReader& reader, Value value) {
  std::vector<model::PodAffinityTerm> result;
  reader.object(value, [&](std::string_view key, Value terms) {
    if (key != "requiredDuringSchedulingIgnoredDuringExecution") return;
    reader.array(terms, [&](Value element) {
      model::PodAffinityTerm& term = result.emplace_back();
      reader.object(element, [&](std::string_view name, Value field) {
        if (name == "labelSelector")
          term.label_selector = read_label_selector(reader, field);
        else if (name == "topologyKey")
          term.topology_key = reader.text(field);
        else if (name == "namespaces")
          term.namespaces = reader.texts(field);
        else if (name == "namespaceSelector")
          term.namespace_selector = read_label_selector(reader, field);
        else if (name == "matchLabelKeys")
          term.match_label_keys = reader.texts(field);
        else if (name == "mismatchLabelKeys")
          term.mismatch_label_keys = reader.texts(field);
      });
    });
  });
  return result;
}

std::vector<model::TopologySpreadConstraint> read_spread(JsonReader& reader, Value value) {
  std::vector<model::TopologySpreadConstraint> result;
  reader.array(value, [&](Value element) {
    model::TopologySpreadConstraint& constraint = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "topologyKey")
        constraint.topology_key = reader.text(field);
      else if (key == "maxSkew")
        constraint.max_skew = reader.integer(field);
      else if (key == "whenUnsatisfiable")
        constraint.when_unsatisfiable = reader.text(field);
      else if (key == "labelSelector")
        constraint.label_selector = read_label_selector(reader, field);
      else if (key == "minDomains" && !reader.is_null(field))
        constraint.min_domains = reader.integer(field);
      else if (key == "nodeAffinityPolicy")
        constraint.node_affinity_policy = reader.text(field);
      else if (key == "nodeTaintsPolicy")
        constraint.node_taints_policy = reader.text(field);
      else if (key == "matchLabelKeys")
        constraint.match_label_keys = reader.texts(field);
    });
  });
  return result;
}

/// The one field `name` of each object in a list.
std::vector<model::PodResourceClaim> read_resource_claims(JsonReader& reader, Value value) {
  std::vector<model::PodResourceClaim> result;
  reader.array(value, [&](Value element) {
    model::PodResourceClaim& claim = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "name")
        claim.name = reader.text(field);
      else if (key == "resourceClaimName")
        claim.claim_name = reader.text(field);
      else if (key == "resourceClaimTemplateName")
        claim.template_name = reader.text(field);
    });
  });
  return result;
}

/// Absent and empty are the same to Kubernetes.
std::optional<model::Labels> read_some_quantities(JsonReader& reader, Value value) {
  model::Labels quantities = read_quantities(reader, value);
  return quantities.empty() ? std::nullopt : std::optional(std::move(quantities));
}

void read_pod_resources(JsonReader& reader, Value value, model::PodSpec& into) {
  reader.object(value, [&](std::string_view name, Value list) {
    if (name == "requests") into.requests = read_some_quantities(reader, list);
    if (name == "limits") into.limits = read_some_quantities(reader, list);
  });
}

model::TerminatedState read_terminated(JsonReader& reader, Value value) {
  model::TerminatedState state;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "exitCode")
      state.exit_code = reader.integer(field);
    else if (key == "signal")
      state.signal = reader.integer(field);
    else if (key == "reason")
      state.reason = reader.text(field);
    else if (key == "message")
      state.message = reader.text(field);
    else if (key == "startedAt")
      state.started = reader.time(field);
    else if (key == "finishedAt")
      state.finished = reader.time(field);
  });
  return state;
}

void read_state(JsonReader& reader, Value value, model::ContainerStatus& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (reader.is_null(field)) return;
    if (key == "waiting") {
      model::WaitingState& state = into.waiting.emplace();
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "reason") state.reason = reader.text(text);
        if (name == "message") state.message = reader.text(text);
      });
    } else if (key == "running") {
      into.running = true;
      reader.object(field, [&](std::string_view name, Value time) {
        if (name == "startedAt") into.running_since = reader.time(time);
      });
    } else if (key == "terminated") {
      into.terminated = read_terminated(reader, field);
    }
  });
}

void read_container_status(JsonReader& reader, Value value, model::ContainerStatus& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "name")
      into.name = reader.text(field);
    else if (key == "ready")
      into.ready = reader.boolean(field);
    else if (key == "started" && !reader.is_null(field))
      into.started = reader.boolean(field);
    else if (key == "restartCount")
      into.restart_count = reader.integer(field);
    else if (key == "state")
      read_state(reader, field, into);
    else if (key == "lastState") {
      reader.object(field, [&](std::string_view name, Value state) {
        if (name == "terminated" && !reader.is_null(state)) {
          into.last_terminated = read_terminated(reader, state);
        }
      });
    } else if (key == "allocatedResources") {
      into.allocated_resources = read_some_quantities(reader, field);
    } else if (key == "resources" && !reader.is_null(field)) {
      into.requests = read_resized_requests(reader, field);
    }
  });
}

}  // namespace

std::vector<model::Text> read_names(JsonReader& reader, JsonReader::Value value,
                                    std::string_view name) {
  std::vector<model::Text> result;
  reader.array(value, [&](Value element) {
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == name) result.push_back(reader.text(field));
    });
  });
  return result;
}

model::Labels read_resized_requests(JsonReader& reader, Value value) {
  model::Labels requests;
  reader.object(value, [&](std::string_view name, Value list) {
    if (name == "requests") requests = read_quantities(reader, list);
  });
  return requests;
}

std::string http_handler(std::string_view path, std::string_view port) {
  return fmt::format("httpGet {}:{}", path.empty() ? "/" : path, port);
}

void read_spec_field(JsonReader& reader, std::string_view key, Value value, model::PodSpec& into) {
  if (key == "containers")
    into.containers = read_containers(reader, value);
  else if (key == "initContainers")
    into.init_containers = read_containers(reader, value);
  else if (key == "volumes")
    into.volumes = read_volumes(reader, value);
  else if (key == "overhead")
    into.overhead = read_quantities(reader, value);
  else if (key == "resources")
    read_pod_resources(reader, value, into);
  else if (key == "topologySpreadConstraints")
    into.topology_spread = read_spread(reader, value);
  else if (key == "resourceClaims")
    into.resource_claims = read_resource_claims(reader, value);
  else if (key == "schedulingGates")
    into.scheduling_gates = read_names(reader, value, "name");
  else if (key == "readinessGates")
    into.readiness_gates = read_names(reader, value, "conditionType");
  else if (key == "imagePullSecrets")
    into.image_pull_secrets = read_names(reader, value, "name");
  else if (key == "serviceAccountName")
    into.service_account = reader.text(value);
  else if (key == "schedulerName")
    into.scheduler_name = reader.text(value);
  else if (key == "runtimeClassName")
    into.runtime_class = reader.text(value);
  else if (key == "priorityClassName")
    into.priority_class = reader.text(value);
  else if (key == "preemptionPolicy")
    into.preemption_policy = reader.text(value);
  else if (key == "priority" && !reader.is_null(value))
    into.priority = reader.integer(value);
  else if (key == "terminationGracePeriodSeconds" && !reader.is_null(value))
    into.grace_seconds = reader.integer(value);
  else if (key == "hostPID")
    into.host_pid = reader.boolean(value);
  else if (key == "hostIPC")
    into.host_ipc = reader.boolean(value);
  else if (key == "os") {
    reader.object(value, [&](std::string_view name, Value text) {
      if (name == "name") into.os = reader.text(text);
    });
  }
}

void read_affinity(JsonReader& reader, Value value, std::optional<model::NodeSelector>& node,
                   model::PodSpec& into) {
  reader.object(value, [&](std::string_view key, Value affinity) {
    if (key == "nodeAffinity")
      node = read_required_node_affinity(reader, affinity);
    else if (key == "podAffinity")
      into.pod_affinity = read_terms(reader, affinity);
    else if (key == "podAntiAffinity")
      into.pod_anti_affinity = read_terms(reader, affinity);
  });
}

std::vector<model::ContainerStatus> read_container_statuses(JsonReader& reader, Value value) {
  std::vector<model::ContainerStatus> result;
  reader.array(
      value, [&](Value element) { read_container_status(reader, element, result.emplace_back()); });
  return result;
}

}  // namespace dsdoctor::decode
