// SPDX-License-Identifier: Apache-2.0
#include "placement/label_selector.h"

#include <algorithm>

#include "placement/integers.h"
#include "placement/label_syntax.h"

namespace dsdoctor::placement {
namespace {

bool legal_values(const std::vector<model::Text>& values) {
  return std::ranges::all_of(values, [](const model::Text& v) { return is_label_value(v); });
}

bool compares_numbers(const model::NodeSelectorRequirement& requirement) {
  return requirement.op == "Gt" || requirement.op == "Lt";
}

bool holds_number(const model::NodeSelectorRequirement& requirement, const model::Text* value) {
  if (requirement.values.size() != 1 || value == nullptr) return false;
  const auto wanted = parse_lenient_integer(requirement.values.front());
  const auto actual = parse_lenient_integer(*value);
  if (!wanted || !actual) return false;
  return requirement.op == "Gt" ? *actual > *wanted : *actual < *wanted;
}

}  // namespace

bool satisfies(const model::Labels& labels, const model::NodeSelectorRequirement& requirement) {
  const auto& values = requirement.values;
  const model::Text* value = labels.find(requirement.key);
  const auto listed = [&] { return std::ranges::find(values, *value) != values.end(); };
  if (!is_label_key(requirement.key) || !legal_values(values)) return false;
  if (requirement.op == "In") return !values.empty() && value != nullptr && listed();
  if (requirement.op == "NotIn") return !values.empty() && (value == nullptr || !listed());
  if (requirement.op == "Exists") return values.empty() && value != nullptr;
  if (requirement.op == "DoesNotExist") return values.empty() && value == nullptr;
  return compares_numbers(requirement) && holds_number(requirement, value);
}

bool matches(const model::LabelSelector& selector, const model::Labels& labels) {
  for (const auto& [key, want] : selector.match_labels) {
    const model::Text* have = labels.find(key);
    if (have == nullptr || *have != want || !is_label_key(key) || !is_label_value(want)) {
      return false;
    }
  }
  return std::ranges::all_of(selector.match_expressions, [&](const auto& requirement) {
    return !compares_numbers(requirement) && satisfies(labels, requirement);
  });
}

}  // namespace dsdoctor::placement
