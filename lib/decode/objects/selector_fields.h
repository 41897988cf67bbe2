#pragma once

#include <optional>
#include <vector>

#include "decode/json/json_reader.h"
#include "model/daemon_set.h"
#include "model/scheduling.h"

/// The fields that placement depends on, wherever they stand in an object.
namespace dsdoctor::decode {

[[nodiscard]] std::vector<model::Taint> read_taints(JsonReader& reader, JsonReader::Value value);
[[nodiscard]] std::vector<model::Toleration> read_tolerations(JsonReader& reader,
                                                              JsonReader::Value value);
/// Of a `nodeAffinity`: the required terms. `null` is absent; `{}` is a selector without terms,
/// which matches nothing.
[[nodiscard]] std::optional<model::NodeSelector> read_required_node_affinity(
    JsonReader& reader, JsonReader::Value value);
/// A `nodeSelectorTerms` and its like.
[[nodiscard]] model::NodeSelector read_node_selector(JsonReader& reader, JsonReader::Value value);
[[nodiscard]] std::vector<model::NodeSelectorRequirement> read_requirements(
    JsonReader& reader, JsonReader::Value value);
[[nodiscard]] std::optional<model::LabelSelector> read_label_selector(JsonReader& reader,
                                                                      JsonReader::Value value);
/// A quantity may be written as a number: `cpu: 4`. The text is kept as it
/// stands, without blanks around it.
[[nodiscard]] model::Labels read_quantities(JsonReader& reader, JsonReader::Value value);

}  // namespace dsdoctor::decode
