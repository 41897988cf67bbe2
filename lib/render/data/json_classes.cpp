// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "diagnosis/report/groups.h"
#include "render/data/json_parts.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

// The values of a label that a reason lists.
constexpr std::size_t most_values = 20;

/// Nodes that only differ in names, pods and the values of labels in their reasons.
struct NodeClass {
  std::size_t first = 0;  // index into the report's nodes
  std::vector<model::Text> names;
  /// For each reason the number of nodes by the value that they have.
  std::vector<std::unordered_map<std::optional<std::string_view>, std::size_t>> values;

  void add(const diagnosis::NodeReport& node) {
    names.push_back(node.name);
    const diagnosis::ReasonsOfNode reasons = node.reasons();
    values.resize(reasons.size());
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (!reasons.has_value(i)) continue;
      const model::Text* value = reasons.value(i);
      ++values[i][value == nullptr ? std::nullopt : std::optional(value->view())];
    }
  }
};

/// A key that is equal for nodes of one class, made without looking into reasons: nodes that the
/// DaemonSet does not distinguish share their list.
std::string quick_key(const diagnosis::NodeReports& nodes, std::size_t at) {
  const diagnosis::NodeReport node = nodes[at];
  std::string key;
  const auto add = [&](std::uint64_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add(static_cast<std::uint64_t>(node.decision()));
  add(static_cast<std::uint64_t>(node.verdict()));
  add(node.node_known() ? 1 : 0);
  const auto& reasons = node.shared_reasons();
  add(reasons.empty() ? 0 : reinterpret_cast<std::uintptr_t>(reasons.items().data()));
  if (!node.findings().empty()) add(nodes.state_of(at) + 1ULL);
  return key;
}

/// The values of nodes, most frequent first, then by value; absent ones first.
std::vector<diagnosis::HaveCount> counted(
    const std::unordered_map<std::optional<std::string_view>, std::size_t>& values) {
  std::vector<diagnosis::HaveCount> result;
  result.reserve(values.size());
  for (const auto& [value, nodes] : values) {
    result.push_back({value ? std::optional(model::Text(*value)) : std::nullopt, nodes});
  }
  std::ranges::sort(result, [](const auto& a, const auto& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : a.have < b.have;
  });
  return result;
}

Json reason_of_class(const placement::Reason& reason, const model::KnownTaint* known,
                     std::vector<diagnosis::HaveCount> haves) {
  Json result = reason_json(reason, known);
  if (haves.empty()) return result;
  if (haves.size() > 1) result["have"] = nullptr;
  result["message"] = sentence(diagnosis::GroupReason{reason, known, false, haves});
  const std::size_t more = haves.size() - std::min(haves.size(), most_values);
  haves.resize(haves.size() - more);
  result["haves"] = list_json(haves, [](const diagnosis::HaveCount& value) {
    return Json{{"have", value.have ? Json(value.have->str()) : Json(nullptr)},
                {"nodes", value.nodes}};
  });
  result["moreValues"] = more;
  return result;
}

/// The object of a node without what may differ between the nodes of a class, and without reasons.
Json class_json(const diagnosis::NodeReport& first, const Presentation& style) {
  Json object = node_json(first, style);
  for (const char* field : {"name", "pods", "timeline"}) object.erase(field);
  object["reasons"] = Json::array();
  return object;
}

Json reasons_of_class(const diagnosis::NodeReport& first, const NodeClass& of) {
  Json result = Json::array();
  const diagnosis::ReasonsOfNode reasons = first.reasons();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    result.push_back(reason_of_class(reasons[i], first.known()[i], counted(of.values[i])));
  }
  return result;
}

/// The key of a class: equal for nodes of the same class. `object`: as class_json returns it.
std::string key_of(const diagnosis::NodeReport& first, const Json& object) {
  std::string key = object.dump();
  const diagnosis::ReasonsOfNode reasons = first.reasons();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    Json reason = reason_json(reasons[i], first.known()[i]);
    if (reasons.has_value(i)) {
      reason.erase("have");
      reason.erase("message");
    }
    key += reason.dump();
  }
  return key;
}

void merge(const NodeClass& from, NodeClass& into) {
  into.names.insert(into.names.end(), from.names.begin(), from.names.end());
  for (std::size_t i = 0; i < into.values.size(); ++i) {
    for (const auto& [value, count] : from.values[i]) into.values[i][value] += count;
  }
}

/// Joins classes with equal objects, which different states can have, and writes their names.
Json joined(const diagnosis::NodeReports& nodes, const std::vector<NodeClass>& classes,
            const Presentation& style) {
  std::unordered_map<std::string, std::size_t> by_key;
  std::vector<NodeClass> result;
  std::vector<Json> objects;
  for (const NodeClass& each : classes) {
    const diagnosis::NodeReport first = nodes[each.first];
    Json object = class_json(first, style);
    const auto [at, is_new] = by_key.try_emplace(key_of(first, object), result.size());
    if (is_new) {
      result.push_back(each);
      objects.push_back(std::move(object));
    } else {
      merge(each, result[at->second]);
    }
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::ranges::sort(result[i].names);
    Json object = {{"nodes", names_json(result[i].names)}};
    objects[i]["reasons"] = reasons_of_class(nodes[result[i].first], result[i]);
    object.update(objects[i]);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

Json classes_json(const diagnosis::NodeReports& nodes, const std::optional<base::IndexRuns>& listed,
                  const Presentation& style) {
  std::unordered_map<std::string, std::size_t> known;
  std::vector<NodeClass> classes;
  const auto add = [&](std::size_t at) {
    const auto [place, is_new] = known.try_emplace(quick_key(nodes, at), classes.size());
    if (is_new) classes.push_back({at, {}, {}});
    classes[place->second].add(nodes[at]);
  };
  if (listed) {
    for (const std::size_t at : *listed) add(at);
  } else {
    for (std::size_t at = 0; at < nodes.size(); ++at) add(at);
  }
  return joined(nodes, classes, style);
}

}  // namespace dsdoctor::render
