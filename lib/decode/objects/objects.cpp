#include "decode/objects/objects.h"

#include "decode/objects/annotations.h"
#include "decode/objects/meta_fields.h"
#include "decode/objects/pod_fields.h"
#include "decode/objects/selector_fields.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

void read_node_status(JsonReader& reader, Value value, model::Node& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "conditions")
      into.conditions = read_conditions(reader, field);
    else if (key == "allocatable")
      into.allocatable = read_quantities(reader, field);
    else if (key == "capacity")
      into.capacity = read_quantities(reader, field);
    else if (key == "nodeInfo") {
      reader.object(field, [&](std::string_view name, Value info) {
        if (name == "kubeletVersion")
          into.kubelet_version = reader.text(info);
        else if (name == "operatingSystem")
          into.os = reader.text(info);
        else if (name == "architecture")
          into.architecture = reader.text(info);
        else if (name == "osImage")
          into.os_image = reader.text(info);
        else if (name == "kernelVersion")
          into.kernel_version = reader.text(info);
        else if (name == "containerRuntimeVersion")
          into.container_runtime = reader.text(info);
      });
    }
  });
}

void read_pod_template(JsonReader& reader, Value value, model::PodTemplate& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      reader.object(field, [&](std::string_view name, Value labels) {
        if (name == "labels") into.labels = reader.string_map(labels);
      });
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "nodeName")
          into.node_name = reader.text(of_spec);
        else if (name == "nodeSelector")
          into.node_selector = reader.string_map(of_spec);
        else if (name == "hostNetwork")
          into.host_network = reader.boolean(of_spec);
        else if (name == "tolerations")
          into.tolerations = read_tolerations(reader, of_spec);
        else if (name == "affinity")
          read_affinity(reader, of_spec, into.node_affinity, into.spec);
        else
          read_spec_field(reader, name, of_spec, into.spec);
      });
    }
  });
}

void read_pod_spec(JsonReader& reader, Value value, model::Pod& into) {
  model::PodSpec spec;
  reader.object(value, [&](std::string_view name, Value field) {
    if (name == "nodeName")
      into.node_name = reader.text(field);
    else if (name == "nodeSelector")
      into.node_selector = reader.string_map(field);
    else if (name == "hostNetwork")
      into.host_network = reader.boolean(field);
    else if (name == "tolerations")
      into.tolerations = read_tolerations(reader, field);
    else if (name == "affinity")
      read_affinity(reader, field, into.node_affinity, spec);
    else
      read_spec_field(reader, name, field, spec);
  });
  into.spec = std::move(spec);
}

void read_pod_status(JsonReader& reader, Value value, model::Pod& into) {
  reader.object(value, [&](std::string_view name, Value field) {
    if (name == "phase")
      into.phase = reader.text(field);
    else if (name == "reason")
      into.reason = reader.text(field);
    else if (name == "message")
      into.message = reader.text(field);
    else if (name == "conditions")
      into.conditions = read_conditions(reader, field);
    else if (name == "nominatedNodeName")
      into.nominated_node = reader.text(field);
    else if (name == "qosClass")
      into.qos_class = reader.text(field);
    else if (name == "startTime")
      into.start_time = reader.time(field);
    else if (name == "initContainerStatuses")
      into.init_statuses = read_container_statuses(reader, field);
    else if (name == "containerStatuses")
      into.statuses = read_container_statuses(reader, field);
    else if (name == "allocatedResources")
      into.allocated_resources = read_quantities(reader, field);
    else if (name == "resources" && !reader.is_null(field))
      into.resized_requests = read_resized_requests(reader, field);
  });
}

void read_update_strategy(JsonReader& reader, Value value, model::DaemonSet& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "type")
      into.update_strategy = reader.text(field);
    else if (key == "rollingUpdate") {
      reader.object(field, [&](std::string_view name, Value budget) {
        if (name == "maxUnavailable")
          into.max_unavailable = reader.int_or_percent(budget);
        else if (name == "maxSurge")
          into.max_surge = reader.int_or_percent(budget);
      });
    }
  });
}

void read_daemon_set_spec(JsonReader& reader, Value value, model::DaemonSet& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "selector")
      into.selector = read_label_selector(reader, field);
    else if (key == "template")
      read_pod_template(reader, field, into.pod_template);
    else if (key == "minReadySeconds")
      into.min_ready_seconds = reader.integer(field);
    else if (key == "updateStrategy")
      read_update_strategy(reader, field, into);
  });
}

void read_daemon_set_status(JsonReader& reader, Value value, model::DaemonSet& into) {
  model::DaemonSetCounts& counts = into.reported;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "desiredNumberScheduled")
      counts.desired_number_scheduled = reader.integer(field);
    else if (key == "currentNumberScheduled") {
      counts.current_number_scheduled = reader.integer(field);
    } else if (key == "numberMisscheduled")
      counts.number_misscheduled = reader.integer(field);
    else if (key == "numberReady")
      counts.number_ready = reader.integer(field);
    else if (key == "numberAvailable")
      counts.number_available = reader.integer(field);
    else if (key == "updatedNumberScheduled") {
      counts.updated_number_scheduled = reader.integer(field);
    } else if (key == "observedGeneration")
      into.observed_generation = reader.integer(field);
  });
}

}  // namespace

TypeMeta read_type(JsonReader& reader, simdjson::ondemand::document& doc) {
  TypeMeta result;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "apiVersion")
      result.api_version = reader.text(field);
    else if (key == "kind")
      result.kind = reader.text(field);
  });
  return result;
}

void read_node(JsonReader& reader, simdjson::ondemand::document& doc, model::Node& into) {
  model::Labels annotations;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta, &annotations);
    else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "taints")
          into.taints = read_taints(reader, of_spec);
        else if (name == "unschedulable")
          into.unschedulable = reader.boolean(of_spec);
        else if (name == "providerID")
          into.provider_id = reader.text(of_spec);
      });
    } else if (key == "status")
      read_node_status(reader, field, into);
  });
  if (const model::Text* labels = annotations.find(feature_labels_annotation)) {
    into.feature_labels = *labels;
  }
  into.meta.ns = {};  // cluster-scoped, whatever a file says
}

void read_pod(JsonReader& reader, simdjson::ondemand::document& doc, model::Pod& into) {
  model::Labels annotations;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta, &annotations);
    else if (key == "spec")
      read_pod_spec(reader, field, into);
    else if (key == "status")
      read_pod_status(reader, field, into);
  });
  into.mirror = annotations.find(mirror_annotation) != nullptr;
}

void read_daemon_set(JsonReader& reader, simdjson::ondemand::document& doc,
                     model::DaemonSet& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta, &into.annotations, &into.generation);
    } else if (key == "spec")
      read_daemon_set_spec(reader, field, into);
    else if (key == "status")
      read_daemon_set_status(reader, field, into);
  });
}

void read_revision(JsonReader& reader, simdjson::ondemand::document& doc,
                   model::ControllerRevision& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "revision")
      into.revision = reader.integer(field);
  });
}

}  // namespace dsdoctor::decode
