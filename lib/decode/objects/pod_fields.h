#pragma once

#include <string_view>
#include <vector>

#include "decode/json/json_reader.h"
#include "model/container_status.h"
#include "model/pod_spec.h"

/// The fields of a pod, live or of a template, beyond those that placement depends on.
/// Source of truth: k8s.io/api v0.36.2, core/v1/types.go.
namespace dsdoctor::decode {

/// Reads one field of a pod's spec, if it is one that PodSpec holds. Affinity is not.
void read_spec_field(JsonReader& reader, std::string_view key, JsonReader::Value value,
                     model::PodSpec& into);

/// Reads `affinity`: the required node affinity into `node` (see read_required_affinity), the
/// required inter-pod terms into `into`.
void read_affinity(JsonReader& reader, JsonReader::Value value,
                   std::optional<model::NodeSelector>& node, model::PodSpec& into);

[[nodiscard]] std::vector<model::ContainerStatus> read_container_statuses(JsonReader& reader,
                                                                          JsonReader::Value value);

/// The requests of a `resources` in a status.
[[nodiscard]] model::Labels read_resized_requests(JsonReader& reader, JsonReader::Value value);

/// The field `name` of each object of an array.
[[nodiscard]] std::vector<model::Text> read_names(JsonReader& reader, JsonReader::Value value,
                                                  std::string_view name);

/// What a probe calls, in a few words.
[[nodiscard]] std::string http_handler(std::string_view path, std::string_view port);

}  // namespace dsdoctor::decode
