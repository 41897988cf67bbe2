#include "decode/objects/selector_fields.h"

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

}  // namespace

std::vector<model::NodeSelectorRequirement> read_requirements(JsonReader& reader, Value value) {
  std::vector<model::NodeSelectorRequirement> result;
  reader.array(value, [&](Value element) {
    model::NodeSelectorRequirement& requirement = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "key")
        requirement.key = reader.text(field);
      else if (key == "operator")
        requirement.op = reader.text(field);
      else if (key == "values")
        requirement.values = reader.texts(field);
    });
  });
  return result;
}

model::NodeSelector read_node_selector(JsonReader& reader, Value value) {
  model::NodeSelector result;
  reader.object(value, [&](std::string_view key, Value terms) {
    if (key != "nodeSelectorTerms") return;
    reader.array(terms, [&](Value element) {
      model::NodeSelectorTerm& term = result.terms.emplace_back();
      reader.object(element, [&](std::string_view name, Value field) {
        if (name == "matchExpressions")
          term.match_expressions = read_requirements(reader, field);
        else if (name == "matchFields")
          term.match_fields = read_requirements(reader, field);
      });
    });
  });
  return result;
}

std::vector<model::Taint> read_taints(JsonReader& reader, Value value) {
  std::vector<model::Taint> result;
  reader.array(value, [&](Value element) {
    model::Taint& taint = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "key")
        taint.key = reader.text(field);
      else if (key == "value")
        taint.value = reader.text(field);
      else if (key == "effect")
        taint.effect = reader.text(field);
      else if (key == "timeAdded")
        taint.time_added = reader.time(field);
    });
  });
  return result;
}

std::vector<model::Toleration> read_tolerations(JsonReader& reader, Value value) {
  std::vector<model::Toleration> result;
  reader.array(value, [&](Value element) {
    model::Toleration& toleration = result.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "key")
        toleration.key = reader.text(field);
      else if (key == "operator")
        toleration.op = reader.text(field);
      else if (key == "value")
        toleration.value = reader.text(field);
      else if (key == "effect")
        toleration.effect = reader.text(field);
      else if (key == "tolerationSeconds" && !reader.is_null(field)) {
        toleration.toleration_seconds = reader.integer(field);
      }
    });
  });
  return result;
}

std::optional<model::NodeSelector> read_required_node_affinity(JsonReader& reader, Value value) {
  std::optional<model::NodeSelector> result;
  reader.object(value, [&](std::string_view name, Value required) {
    if (name != "requiredDuringSchedulingIgnoredDuringExecution") return;
    if (!reader.is_null(required)) result = read_node_selector(reader, required);
  });
  return result;
}

std::optional<model::LabelSelector> read_label_selector(JsonReader& reader, Value value) {
  if (reader.is_null(value)) return std::nullopt;
  model::LabelSelector result;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "matchLabels")
      result.match_labels = reader.string_map(field);
    else if (key == "matchExpressions")
      result.match_expressions = read_requirements(reader, field);
  });
  return result;
}

model::Labels read_quantities(JsonReader& reader, Value value) {
  std::vector<model::Labels::Entry> entries;
  reader.object(value, [&](std::string_view key, Value field) {
    const model::Text name(key);
    simdjson::ondemand::json_type type{};
    const bool number = field.type().get(type) == simdjson::SUCCESS &&
                        type == simdjson::ondemand::json_type::number;
    const model::Text text = number ? model::Text(field.raw_json_token()) : reader.text(field);
    entries.emplace_back(name, model::Text(base::trimmed(text.view())));
  });
  return model::Labels(std::move(entries));
}

}  // namespace dsdoctor::decode
