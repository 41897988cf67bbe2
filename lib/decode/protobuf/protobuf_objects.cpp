// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_objects.h"

#include <utility>
#include <vector>

#include "decode/objects/fields_by_hand.h"
#include "decode/protobuf/protobuf_parts.h"
#include "decode/protobuf/protobuf_pod.h"
#include "model/annotations.h"

namespace dsdoctor::decode {
namespace {

using Field = ProtobufReader::Field;

void read_owner(ProtobufReader& reader, Field& field, model::ObjectMeta& into) {
  model::ControllerRef ref;
  bool controls = false;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: ref.kind = reader.text(part); break;
      case 3: ref.name = reader.text(part); break;
      case 4: ref.uid = reader.text(part); break;
      case 5: ref.api_version = reader.text(part); break;
      case 6: controls = reader.boolean(part); break;
      default: break;
    }
  });
  if (controls && !into.controller) into.controller = std::move(ref);
}

/// Reads the fields that an entry of managedFields owns from its fieldsV1, which is JSON. Ignores
/// invalid JSON.
void read_owned_fields(std::string_view json, model::FieldManager& into) {
  thread_local simdjson::ondemand::parser parser;
  // The root of a document cannot be passed on as a value, but its member can.
  const simdjson::padded_string padded("{\"fieldsV1\":" + std::string(json) + "}");
  simdjson::ondemand::document document;
  JsonReader::Value value;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.find_field("fieldsV1").get(value) != simdjson::SUCCESS) {
    return;
  }
  model::TextPool pool;
  JsonReader reader(pool);
  read_by_hand(reader, "fieldsV1", value, into, description::ByHand<description::OwnedFields>());
}

/// One entry of managedFields.
model::FieldManager read_manager(ProtobufReader& reader, std::string_view bytes) {
  model::FieldManager manager;
  reader.message(bytes, [&](Field& part) {
    switch (part.tag()) {
      case 1: manager.manager = reader.text(part); break;
      case 2: manager.operation = reader.text(part); break;
      case 4: manager.time = reader.time(part); break;
      case 7:
        reader.object(part, [&](Field& raw) {
          if (raw.tag() == 1) read_owned_fields(reader.bytes(raw), manager);
        });
        break;
      case 8: manager.subresource = reader.text(part); break;
      default: break;
    }
  });
  return manager;
}

/// Calls `on_annotation` with each annotation, and adds the bytes of each entry of managedFields to
/// `managers`.
template <typename OnAnnotation>
void read_meta(ProtobufReader& reader, Field& field, model::ObjectMeta& into,
               OnAnnotation&& on_annotation, std::vector<std::string_view>* managers = nullptr) {
  std::vector<model::Labels::Entry> labels;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: into.name = reader.text(part); break;
      case 3: into.ns = reader.text(part); break;
      case 5: into.uid = reader.unique_text(part); break;
      case 6: into.resource_version = reader.unique_text(part); break;
      case 8: into.created = reader.time(part); break;
      case 9: into.deleted = reader.time(part); break;
      case 10: into.grace_seconds = reader.integer(part); break;
      case 11: labels.push_back(reader.entry(part)); break;
      case 12: on_annotation(reader.raw_entry(part)); break;
      case 13: read_owner(reader, part, into); break;
      case 14: into.finalizers.push_back(reader.text(part)); break;
      case 17:
        if (managers != nullptr) managers->push_back(reader.bytes(part));
        break;
      default: break;
    }
  });
  into.labels = model::Labels(std::move(labels));
}

model::Taint read_taint(ProtobufReader& reader, Field& field) {
  model::Taint taint;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: taint.key = reader.text(part); break;
      case 2: taint.value = reader.text(part); break;
      case 3: taint.effect = reader.text(part); break;
      case 4: taint.time_added = reader.time(part); break;
      default: break;
    }
  });
  return taint;
}

void read_node_info(ProtobufReader& reader, Field& field, model::Node& into) {
  reader.object(field, [&](Field& info) {
    switch (info.tag()) {
      case 4: into.kernel_version = reader.text(info); break;
      case 5: into.os_image = reader.text(info); break;
      case 6: into.container_runtime = reader.text(info); break;
      case 7: into.kubelet_version = reader.text(info); break;
      case 9: into.os = reader.text(info); break;
      case 10: into.architecture = reader.text(info); break;
      default: break;
    }
  });
}

void read_node_status(ProtobufReader& reader, Field& field, model::Node& into) {
  std::vector<model::Labels::Entry> capacity;
  std::vector<model::Labels::Entry> allocatable;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: capacity.push_back(reader.quantity_entry(part)); break;
      case 2: allocatable.push_back(reader.quantity_entry(part)); break;
      case 4: into.conditions.push_back(read_condition(reader, part, true)); break;
      case 7: read_node_info(reader, part, into); break;
      case 14: into.declared_features.push_back(reader.text(part)); break;
      default: break;
    }
  });
  into.capacity = model::Labels(std::move(capacity));
  into.allocatable = model::Labels(std::move(allocatable));
}

}  // namespace

void read_node(ProtobufReader& reader, std::string_view bytes, model::Node& into) {
  std::vector<std::string_view> managers;
  reader.message(bytes, [&](Field& field) {
    switch (field.tag()) {
      case 1:
        read_meta(
            reader, field, into.meta,
            [&](const auto& annotation) {
              if (annotation.first == model::feature_labels_annotation) {
                into.feature_labels = model::Text(annotation.second);
              } else if (annotation.first == model::machine_config_state_annotation) {
                into.machine_config_state = model::Text(annotation.second);
              }
            },
            &managers);
        break;
      case 2:
        reader.object(field, [&](Field& part) {
          if (part.tag() == 3) into.provider_id = reader.text(part);
          if (part.tag() == 4) into.unschedulable = reader.boolean(part);
          if (part.tag() == 5) into.taints.push_back(read_taint(reader, part));
        });
        break;
      case 3: read_node_status(reader, field, into); break;
      default: break;
    }
  });
  into.meta.ns = {};
  // managedFields are most of a node's bytes, and only needed to find the client that added a
  // taint.
  if (into.taints.empty() && !into.unschedulable) return;
  for (const std::string_view entry : managers) {
    into.meta.managers.push_back(read_manager(reader, entry));
  }
}

void read_pod(ProtobufReader& reader, std::string_view bytes, model::Pod& into) {
  reader.message(bytes, [&](Field& field) {
    switch (field.tag()) {
      case 1:
        read_meta(reader, field, into.meta, [&](const auto& annotation) {
          const auto& [key, value] = annotation;
          if (key == model::mirror_annotation) into.mirror = true;
          if (key == model::do_not_disrupt_annotation) into.do_not_disrupt = value;
          if (key == model::safe_to_evict_annotation) into.safe_to_evict = value;
        });
        break;
      case 2: read_pod_spec(reader, field, into); break;
      case 3: read_pod_status(reader, field, into); break;
      default: break;
    }
  });
}

}  // namespace dsdoctor::decode
