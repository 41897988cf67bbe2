// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_pod.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "decode/objects/fields_by_hand.h"
#include "decode/protobuf/protobuf_parts.h"

namespace dsdoctor::decode {
namespace {

using Field = ProtobufReader::Field;
using Entries = std::vector<model::Labels::Entry>;

/// IntOrString{1 type, 2 int, 3 string}
std::string port_text(ProtobufReader& reader, Field& field) {
  std::int64_t number = 0;
  std::string name;
  bool is_name = false;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: is_name = reader.int32(part) == 1; break;
      case 2: number = reader.int32(part); break;
      case 3: name = reader.bytes(part); break;
      default: break;
    }
  });
  return is_name ? name : std::to_string(number);
}

model::Text read_handler(ProtobufReader& reader, Field& field) {
  std::string text;
  reader.object(field, [&](Field& kind) {
    const auto tag = kind.tag();
    std::string path;
    std::string port;
    reader.object(kind, [&](Field& part) {
      if (tag == 2 && part.tag() == 1) path = reader.bytes(part);
      if ((tag == 2 && part.tag() == 2) || (tag == 3 && part.tag() == 1)) {
        port = port_text(reader, part);
      }
      if (tag == 4 && part.tag() == 1) port = std::to_string(reader.int32(part));
    });
    switch (tag) {
      case 1: text = "exec"; break;
      case 2: text = http_handler(path, port); break;
      case 3: text = fmt::format("tcpSocket :{}", port); break;
      case 4: text = fmt::format("grpc :{}", port); break;
      default: break;
    }
  });
  return {text};
}

model::Probe read_probe(ProtobufReader& reader, Field& field) {
  model::Probe probe;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: probe.handler = read_handler(reader, part); break;
      case 2: probe.initial_delay = reader.int32(part); break;
      case 4: probe.period = reader.int32(part); break;
      case 5: probe.success_threshold = reader.int32(part); break;
      case 6: probe.failure_threshold = reader.int32(part); break;
      default: break;
    }
  });
  return probe;
}

model::ContainerPort read_port(ProtobufReader& reader, Field& field) {
  model::ContainerPort port;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 2: port.host_port = reader.int32(part); break;
      case 3: port.container_port = reader.int32(part); break;
      case 4: port.protocol = reader.text(part); break;
      case 5: port.host_ip = reader.text(part); break;
      default: break;
    }
  });
  return port;
}

/// Reads a SeccompProfile{1 type, 2 localhostProfile} into a container or a pod's spec.
void read_seccomp(ProtobufReader& reader, Field& field, auto& into) {
  reader.object(field, [&](Field& profile) {
    if (profile.tag() == 1) into.seccomp_type = reader.text(profile);
    if (profile.tag() == 2) into.seccomp_profile = reader.text(profile);
  });
}

/// Reads a SecurityContext{1 capabilities{1 add, 2 drop}, 2 privileged, 11 seccompProfile}.
void read_security(ProtobufReader& reader, Field& field, model::Container& into) {
  reader.object(field, [&](Field& security) {
    switch (security.tag()) {
      case 1:
        reader.object(security, [&](Field& part) {
          if (part.tag() == 1) into.added_capabilities.push_back(reader.text(part));
          if (part.tag() == 2) into.dropped_capabilities.push_back(reader.text(part));
        });
        break;
      case 2: into.privileged = reader.boolean(security); break;
      case 11: read_seccomp(reader, security, into); break;
      default: break;
    }
  });
}

void read_mount(ProtobufReader& reader, Field& field, std::vector<model::VolumeMount>& into) {
  model::VolumeMount mount;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: mount.name = reader.text(part); break;
      case 2: mount.read_only = reader.boolean(part); break;
      case 3: mount.of_token = is_token_path(reader.bytes(part)); break;
      case 8: mount.bind_options.push_back(reader.text(part)); break;
      default: break;
    }
  });
  if (is_kept(mount)) into.push_back(std::move(mount));
}

void read_restart_rule(ProtobufReader& reader, Field& field, std::vector<model::Text>& actions) {
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) actions.push_back(reader.text(part));
  });
}

/// Reads an EnvVar{1 name, 2 value}.
void read_variable(ProtobufReader& reader, Field& field, std::vector<model::Text>& drivers) {
  std::string_view name;
  std::string_view text;
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) name = reader.bytes(part);
    if (part.tag() == 2) text = reader.bytes(part);
  });
  add_driver(driver_in_variable(name, text), drivers);
}

model::Container read_container(ProtobufReader& reader, Field& field) {
  model::Container container;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: container.name = reader.text(part); break;
      case 2: container.image = reader.text(part); break;
      case 3:
      case 4: add_driver(driver_in_argument(reader.bytes(part)), container.plugin_drivers); break;
      case 6: container.ports.push_back(read_port(reader, part)); break;
      case 7: read_variable(reader, part, container.plugin_drivers); break;
      case 8: {
        ProtobufReader::Resources resources = reader.resources(part);
        container.limits = model::Labels(std::move(resources.limits));
        container.requests = model::Labels(std::move(resources.requests));
        break;
      }
      case 9: read_mount(reader, part, container.mounts); break;
      case 10: container.liveness_probe = read_probe(reader, part); break;
      case 11: container.readiness_probe = read_probe(reader, part); break;
      case 14: container.image_pull_policy = reader.text(part); break;
      case 15: read_security(reader, part, container); break;
      case 22: container.startup_probe = read_probe(reader, part); break;
      case 24: container.restart_policy = reader.text(part); break;
      case 25: read_restart_rule(reader, part, container.restart_actions); break;
      default: break;
    }
  });
  return container;
}

/// The numbers of the fields that the model keeps, for a kind of volume source; 0: it has none.
struct VolumeFields {
  std::string_view kind;
  std::uint32_t tag;
  std::uint32_t source = 0;
  std::uint32_t read_only = 0;
  std::uint32_t optional = 0;
};

constexpr std::uint32_t projected_tag = 26;

// emptyDir and downwardAPI are left out, as in JSON; projected is read by another function.
constexpr VolumeFields volume_fields[] = {
    {"hostPath", 1, 1},
    {"gcePersistentDisk", 3, 1, 4},
    {"awsElasticBlockStore", 4, 1, 4},
    {"gitRepo", 5},
    {"secret", 6, 1, 0, 4},
    {"nfs", 7, 2, 3},
    {"iscsi", 8, 2, 6},
    {"glusterfs", 9, 2, 3},
    {"persistentVolumeClaim", 10, 1, 2},
    {"rbd", 11, 2, 8},
    {"flexVolume", 12, 1, 4},
    {"cinder", 13, 1, 3},
    {"cephfs", 14, 2, 6},
    {"flocker", 15},
    {"fc", 17, 0, 4},
    {"azureFile", 18, 1, 3},
    {"configMap", 19, 1, 0, 4},
    {"vsphereVolume", 20},
    {"quobyte", 21, 0, 3},
    {"azureDisk", 22, 0, 5},
    {"photonPersistentDisk", 23},
    {"portworxVolume", 24, 1, 3},
    {"scaleIO", 25, 0, 10},
    {"storageos", 27, 0, 4},
    {"csi", 28, 1, 2},
    {"ephemeral", 29},
    {"image", 30},
};

/// Reads the name in field 1 of a message.
model::Text read_name(ProtobufReader& reader, Field& field) {
  model::Text name;
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) name = reader.text(part);
  });
  return name;
}

/// A config map's name is in an embedded LocalObjectReference{1 name}.
model::Text source_text(ProtobufReader& reader, Field& field, std::string_view kind) {
  return kind == "configMap" ? read_name(reader, field) : reader.text(field);
}

/// Reads a ProjectedVolumeSource{1 sources{6 podCertificate{2 keyType}}}.
void read_certificate_key(ProtobufReader& reader, Field& field, model::Volume& into) {
  const auto read_certificate = [&](Field& part) {
    if (part.tag() != 2) return;
    const model::Text type = reader.text(part);
    if (!is_ml_dsa(type)) return;
    into.kind = "projected";
    into.certificate_key = type;
  };
  reader.object(field, [&](Field& source) {
    if (source.tag() != 1) return;
    reader.object(source, [&](Field& part) {
      if (part.tag() == 6) reader.object(part, read_certificate);
    });
  });
}

void read_volume(ProtobufReader& reader, Field& field, std::vector<model::Volume>& into) {
  model::Volume volume;
  const auto read_source = [&](Field& source) {
    if (source.tag() == projected_tag) return read_certificate_key(reader, source, volume);
    for (const VolumeFields& fields : volume_fields) {
      if (fields.tag != source.tag()) continue;
      volume.kind = model::Text(fields.kind);
      reader.object(source, [&](Field& part) {
        const auto tag = part.tag();
        if (tag == fields.source) {
          volume.source = source_text(reader, part, fields.kind);
        } else if (tag == fields.read_only) {
          volume.read_only = reader.boolean(part);
        } else if (tag == fields.optional) {
          volume.optional = reader.boolean(part);
        } else if (tag == 2 && fields.kind == "hostPath") {
          volume.must_exist = is_checked(reader.bytes(part));
        }
      });
      return;
    }
  };
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) volume.name = reader.text(part);
    if (part.tag() == 2) reader.object(part, read_source);
  });
  if (!volume.kind.empty()) into.push_back(std::move(volume));
}

model::LabelSelector read_label_selector(ProtobufReader& reader, Field& field) {
  model::LabelSelector selector;
  Entries labels;
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) labels.push_back(reader.entry(part));
    if (part.tag() == 2) selector.match_expressions.push_back(read_requirement(reader, part));
  });
  selector.match_labels = model::Labels(std::move(labels));
  return selector;
}

model::PodAffinityTerm read_term(ProtobufReader& reader, Field& field) {
  model::PodAffinityTerm term;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: term.label_selector = read_label_selector(reader, part); break;
      case 2: term.namespaces.push_back(reader.text(part)); break;
      case 3: term.topology_key = reader.text(part); break;
      case 4: term.namespace_selector = read_label_selector(reader, part); break;
      case 5: term.match_label_keys.push_back(reader.text(part)); break;
      case 6: term.mismatch_label_keys.push_back(reader.text(part)); break;
      default: break;
    }
  });
  return term;
}

/// Reads the required terms of a PodAffinity or a PodAntiAffinity.
void read_terms(ProtobufReader& reader, Field& field, std::vector<model::PodAffinityTerm>& into) {
  reader.object(field, [&](Field& part) {
    if (part.tag() == 1) into.push_back(read_term(reader, part));
  });
}

void read_affinity(ProtobufReader& reader, Field& field, model::Pod& into, model::PodSpec& spec) {
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: read_required_node_affinity(reader, part, into.node_affinity); break;
      case 2: read_terms(reader, part, spec.pod_affinity); break;
      case 3: read_terms(reader, part, spec.pod_anti_affinity); break;
      default: break;
    }
  });
}

model::TopologySpreadConstraint read_spread(ProtobufReader& reader, Field& field) {
  model::TopologySpreadConstraint constraint;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: constraint.max_skew = reader.int32(part); break;
      case 2: constraint.topology_key = reader.text(part); break;
      case 3: constraint.when_unsatisfiable = reader.text(part); break;
      case 4: constraint.label_selector = read_label_selector(reader, part); break;
      case 5: constraint.min_domains = reader.int32(part); break;
      case 6: constraint.node_affinity_policy = reader.text(part); break;
      case 7: constraint.node_taints_policy = reader.text(part); break;
      case 8: constraint.match_label_keys.push_back(reader.text(part)); break;
      default: break;
    }
  });
  return constraint;
}

model::PodResourceClaim read_resource_claim(ProtobufReader& reader, Field& field) {
  model::PodResourceClaim claim;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: claim.name = reader.text(part); break;
      case 3: claim.claim_name = reader.text(part); break;
      case 4: claim.template_name = reader.text(part); break;
      default: break;
    }
  });
  return claim;
}

model::Toleration read_toleration(ProtobufReader& reader, Field& field) {
  model::Toleration toleration;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: toleration.key = reader.text(part); break;
      case 2: toleration.op = reader.text(part); break;
      case 3: toleration.value = reader.text(part); break;
      case 4: toleration.effect = reader.text(part); break;
      case 5: toleration.toleration_seconds = reader.integer(part); break;
      default: break;
    }
  });
  return toleration;
}

void read_pod_resources(ProtobufReader& reader, Field& field, model::PodSpec& into) {
  ProtobufReader::Resources resources = reader.resources(field);
  if (!resources.requests.empty()) into.requests = model::Labels(std::move(resources.requests));
  if (!resources.limits.empty()) into.limits = model::Labels(std::move(resources.limits));
}

/// Reads one field of a PodSpec.
void read_spec_field(ProtobufReader& reader, Field& part, model::PodSpec& spec, Entries& overhead) {
  switch (part.tag()) {
    case 1: read_volume(reader, part, spec.volumes); break;
    case 2: spec.containers.push_back(read_container(reader, part)); break;
    case 4: spec.grace_seconds = reader.integer(part); break;
    case 8: spec.service_account = reader.text(part); break;
    case 12: spec.host_pid = reader.boolean(part); break;
    case 13: spec.host_ipc = reader.boolean(part); break;
    case 14:
      reader.object(part, [&](Field& security) {
        if (security.tag() == 10) read_seccomp(reader, security, spec);
      });
      break;
    case 15: spec.image_pull_secrets.push_back(read_name(reader, part)); break;
    case 19: spec.scheduler_name = reader.text(part); break;
    case 20: spec.init_containers.push_back(read_container(reader, part)); break;
    case 24: spec.priority_class = reader.text(part); break;
    case 25: spec.priority = reader.int32(part); break;
    case 28: spec.readiness_gates.push_back(read_name(reader, part)); break;
    case 29: spec.runtime_class = reader.text(part); break;
    case 31: spec.preemption_policy = reader.text(part); break;
    case 32: overhead.push_back(reader.quantity_entry(part)); break;
    case 33: spec.topology_spread.push_back(read_spread(reader, part)); break;
    case 36: spec.os = read_name(reader, part); break;
    case 37: spec.host_users = reader.boolean(part); break;
    case 38: spec.scheduling_gates.push_back(read_name(reader, part)); break;
    case 39: spec.resource_claims.push_back(read_resource_claim(reader, part)); break;
    case 40: read_pod_resources(reader, part, spec); break;
    case 42: spec.workload = read_name(reader, part); break;
    case 43: spec.pod_group = read_name(reader, part); break;
    default: break;
  }
}

}  // namespace

void read_pod_spec(ProtobufReader& reader, Field& field, model::Pod& into) {
  model::PodSpec spec;
  Entries overhead;
  Entries node_selector;
  std::vector<model::Toleration> tolerations;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 7: node_selector.push_back(reader.entry(part)); break;
      case 10: into.node_name = reader.text(part); break;
      case 11: into.host_network = reader.boolean(part); break;
      case 18: read_affinity(reader, part, into, spec); break;
      case 22: tolerations.push_back(read_toleration(reader, part)); break;
      default: read_spec_field(reader, part, spec, overhead); break;
    }
  });
  spec.overhead = model::Labels(std::move(overhead));
  into.node_selector = model::Labels(std::move(node_selector));
  into.tolerations = std::move(tolerations);
  into.spec = std::move(spec);
}

}  // namespace dsdoctor::decode
