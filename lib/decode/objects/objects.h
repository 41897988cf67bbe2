#pragma once

#include "decode/json/json_reader.h"
#include "model/daemon_set.h"
#include "model/node.h"
#include "model/pod.h"

/// One object's fields into the model. Fields that no answer depends on are skipped.
/// Source of truth: k8s.io/api v0.36.2, core/v1/types.go and apps/v1/types.go.
namespace dsdoctor::decode {

/// What a field-by-field reader needs to know of an object before anything else is read.
struct TypeMeta {
  model::Text api_version;
  model::Text kind;
};

void read_node(JsonReader& reader, simdjson::ondemand::document& doc, model::Node& into);
void read_pod(JsonReader& reader, simdjson::ondemand::document& doc, model::Pod& into);
void read_daemon_set(JsonReader& reader, simdjson::ondemand::document& doc, model::DaemonSet& into);
void read_revision(JsonReader& reader, simdjson::ondemand::document& doc,
                   model::ControllerRevision& into);

[[nodiscard]] TypeMeta read_type(JsonReader& reader, simdjson::ondemand::document& doc);

/// The bytes of the object at `path` ("spec.template"); empty where it is absent or no object.
[[nodiscard]] std::string_view raw_object(simdjson::ondemand::document& doc,
                                          std::initializer_list<std::string_view> path);

/// Equal for equal templates, whatever the order of their keys; a null field counts as absent, and
/// so does `$patch`, which a ControllerRevision adds. 0 for text that is no JSON object.
/// 64 bits of FNV-1a: told apart are the few revisions of one DaemonSet, not arbitrary texts.
[[nodiscard]] std::uint64_t template_fingerprint(std::string_view json);

}  // namespace dsdoctor::decode
