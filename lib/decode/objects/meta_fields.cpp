#include "decode/objects/meta_fields.h"

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

constexpr std::string_view field_prefix = "f:";

/// Which labels an entry owns: the keys of metadata.labels, each behind "f:".
void read_owned_labels(JsonReader& reader, Value value, model::FieldManager& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key != "f:labels") return;
    reader.object(field, [&](std::string_view label, Value) {
      if (!label.starts_with(field_prefix)) return;
      into.labels.emplace_back(label.substr(field_prefix.size()));
    });
  });
}

void read_owned_spec(JsonReader& reader, Value value, model::FieldManager& into) {
  into.spec = true;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "f:taints") into.taints = true;
    if (key == "f:unschedulable") into.unschedulable = true;
    if (key != "f:template") return;
    reader.object(field, [&](std::string_view part, Value of_template) {
      if (part != "f:spec") return;
      reader.object(of_template, [&](std::string_view name, Value) {
        if (name == "f:tolerations") into.tolerations = true;
      });
    });
  });
}

/// A tree of an unknown format is left alone: nothing but who and when is known then.
void read_owned_fields(JsonReader& reader, Value value, model::FieldManager& into) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS ||
      type != simdjson::ondemand::json_type::object) {
    return;
  }
  reader.object(value, [&](std::string_view key, Value field) {
    if (field.type().get(type) != simdjson::SUCCESS ||
        type != simdjson::ondemand::json_type::object) {
      return;
    }
    if (key == "f:metadata") read_owned_labels(reader, field, into);
    if (key == "f:spec") read_owned_spec(reader, field, into);
  });
}

void read_managers(JsonReader& reader, Value value, std::vector<model::FieldManager>& into) {
  reader.array(value, [&](Value element) {
    model::FieldManager& entry = into.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "manager")
        entry.manager = reader.text(field);
      else if (key == "operation")
        entry.operation = reader.text(field);
      else if (key == "subresource")
        entry.subresource = reader.text(field);
      else if (key == "time")
        entry.time = parse_rfc3339(reader.text(field));  // a time that is none is not known
      else if (key == "fieldsV1")
        read_owned_fields(reader, field, entry);
    });
  });
}

}  // namespace

void read_meta(JsonReader& reader, Value value, model::ObjectMeta& into, model::Labels* annotations,
               std::int64_t* generation) {
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
    else if (key == "deletionGracePeriodSeconds" && !reader.is_null(field))
      into.grace_seconds = reader.integer(field);
    else if (key == "finalizers")
      into.finalizers = reader.texts(field);
    else if (key == "managedFields")
      read_managers(reader, field, into.managers);
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
      else if (key == "lastHeartbeatTime")
        condition.last_heartbeat = reader.time(field);
    });
  });
  return result;
}

}  // namespace dsdoctor::decode
