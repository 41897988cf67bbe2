#include "decode/objects.h"

#include "decode/selector_fields.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

void read_owners(JsonReader& reader, Value value, model::ObjectMeta& into) {
  reader.array(value, [&](Value element) {
    model::ControllerRef ref;
    bool controls = false;
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "kind")
        ref.kind = reader.text(field);
      else if (key == "name")
        ref.name = reader.text(field);
      else if (key == "uid")
        ref.uid = reader.text(field);
      else if (key == "controller")
        controls = reader.boolean(field);
    });
    if (controls && !into.controller) into.controller = std::move(ref);
  });
}

void read_meta(JsonReader& reader, Value value, model::ObjectMeta& into,
               model::Labels* annotations = nullptr, std::int64_t* generation = nullptr) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "name")
      into.name = reader.text(field);
    else if (key == "namespace")
      into.ns = reader.text(field);
    else if (key == "uid")
      into.uid = reader.text(field);
    else if (key == "resourceVersion")
      into.resource_version = reader.text(field);
    else if (key == "labels")
      into.labels = reader.string_map(field);
    else if (key == "creationTimestamp")
      into.created = reader.time(field);
    else if (key == "deletionTimestamp")
      into.deleted = reader.time(field);
    else if (key == "ownerReferences")
      read_owners(reader, field, into);
    else if (key == "annotations" && annotations)
      *annotations = reader.string_map(field);
    else if (key == "generation" && generation)
      *generation = reader.integer(field);
  });
}

std::vector<model::Condition> read_conditions(JsonReader& reader, Value value) {
  std::vector<model::Condition> result;
  reader.array(value, [&](Value element) {
    model::Condition& condition = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "type")
        condition.type = reader.text(field);
      else if (key == "status")
        condition.status = reader.text(field);
      else if (key == "reason")
        condition.reason = reader.text(field);
      else if (key == "message")
        condition.message = reader.text(field);
      else if (key == "lastTransitionTime")
        condition.last_transition = reader.time(field);
    });
  });
  return result;
}

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
        if (name == "kubeletVersion") into.kubelet_version = reader.text(info);
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
          into.node_affinity = read_required_affinity(reader, of_spec);
      });
    }
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
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "taints")
          into.taints = read_taints(reader, of_spec);
        else if (name == "unschedulable")
          into.unschedulable = reader.boolean(of_spec);
      });
    } else if (key == "status")
      read_node_status(reader, field, into);
  });
  into.meta.ns = {};  // cluster-scoped, whatever a file says
}

void read_pod(JsonReader& reader, simdjson::ondemand::document& doc, model::Pod& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "nodeName")
          into.node_name = reader.text(of_spec);
        else if (name == "affinity")
          into.node_affinity = read_required_affinity(reader, of_spec);
      });
    } else if (key == "status") {
      reader.object(field, [&](std::string_view name, Value of_status) {
        if (name == "phase")
          into.phase = reader.text(of_status);
        else if (name == "reason")
          into.reason = reader.text(of_status);
        else if (name == "message")
          into.message = reader.text(of_status);
        else if (name == "conditions")
          into.conditions = read_conditions(reader, of_status);
      });
    }
  });
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
