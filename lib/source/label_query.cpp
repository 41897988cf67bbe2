// SPDX-License-Identifier: Apache-2.0
#include "source/label_query.h"

#include <string_view>

namespace dsdoctor::source {
namespace {

std::optional<std::string> to_text(const model::NodeSelectorRequirement& requirement) {
  const std::string key = requirement.key.str();
  if (requirement.op == "Exists") return key;
  if (requirement.op == "DoesNotExist") return "!" + key;
  const bool in = requirement.op == "In";
  if ((!in && requirement.op != "NotIn") || requirement.values.empty()) return std::nullopt;
  std::string values;
  for (const model::Text& value : requirement.values) {
    values += (values.empty() ? "" : ",") + value.str();
  }
  return key + (in ? " in (" : " notin (") + values + ")";
}

}  // namespace

std::optional<std::string> to_label_query(const model::LabelSelector& selector) {
  std::string query;
  const auto append = [&](const std::string& part) { query += (query.empty() ? "" : ",") + part; };
  for (const auto& [key, value] : selector.match_labels) append(key.str() + "=" + value.str());
  for (const auto& requirement : selector.match_expressions) {
    const auto text = to_text(requirement);
    if (!text) return std::nullopt;
    append(*text);
  }
  return query;
}

}  // namespace dsdoctor::source
