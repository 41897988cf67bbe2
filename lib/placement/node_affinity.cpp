// SPDX-License-Identifier: Apache-2.0
#include "placement/node_affinity.h"

#include <algorithm>

#include "placement/integers.h"
#include "placement/label_syntax.h"

namespace dsdoctor::placement {
namespace {

constexpr std::string_view name_field = "metadata.name";

}  // namespace

std::optional<RequirementFault> NodeAffinity::shape_fault(const Requirement& requirement) {
  switch (requirement.op) {
    case Operator::In:
    case Operator::NotIn:
      if (requirement.values.empty()) return RequirementFault::NeedsValues;
      return std::nullopt;
    case Operator::Exists:
    case Operator::DoesNotExist:
      if (!requirement.values.empty()) return RequirementFault::TakesNoValues;
      return std::nullopt;
    case Operator::Gt:
    case Operator::Lt:
    default:
      if (requirement.values.size() != 1) return RequirementFault::NeedsOneValue;
      if (!parse_lenient_integer(requirement.values.front())) return RequirementFault::NotAnInteger;
      return std::nullopt;
  }
}

NodeAffinity::Requirement NodeAffinity::parse_expression(
    const model::NodeSelectorRequirement& raw) {
  constexpr std::pair<std::string_view, Operator> operators[] = {
      {"In", Operator::In},         {"NotIn", Operator::NotIn},
      {"Exists", Operator::Exists}, {"DoesNotExist", Operator::DoesNotExist},
      {"Gt", Operator::Gt},         {"Lt", Operator::Lt},
  };
  Requirement result{raw.key, Operator::In, raw.values, 0, std::nullopt};
  const auto known =
      std::ranges::find_if(operators, [&](const auto& entry) { return raw.op == entry.first; });
  if (known == std::end(operators)) {
    result.fault = RequirementFault::UnknownOperator;
    return result;
  }
  result.op = known->second;
  result.fault = shape_fault(result);
  if (!result.fault && !is_label_key(raw.key)) result.fault = RequirementFault::IllegalKey;
  // Also for Gt and Lt: "-1" is an integer but not a label value, so it never matches.
  const auto legal = [](const model::Text& value) { return is_label_value(value); };
  if (!result.fault && !std::ranges::all_of(raw.values, legal)) {
    result.fault = RequirementFault::IllegalValue;
  }
  if (!result.fault && (result.op == Operator::Gt || result.op == Operator::Lt)) {
    result.number = *parse_lenient_integer(raw.values.front());
  }
  return result;
}

NodeAffinity::Requirement NodeAffinity::parse_field(const model::NodeSelectorRequirement& raw) {
  Requirement result{raw.key, Operator::In, raw.values, 0, std::nullopt};
  if (raw.op == "NotIn") {
    result.op = Operator::NotIn;
  } else if (raw.op != "In") {
    result.fault = RequirementFault::UnsupportedField;
    return result;
  }
  if (raw.values.size() != 1) result.fault = RequirementFault::NeedsOneValue;
  return result;
}

NodeAffinity::NodeAffinity(const model::NodeSelector& selector) {
  terms_.reserve(selector.terms.size());
  for (const model::NodeSelectorTerm& raw : selector.terms) {
    Term& term = terms_.emplace_back();
    std::ranges::transform(raw.match_expressions, std::back_inserter(term.expressions),
                           parse_expression);
    std::ranges::transform(raw.match_fields, std::back_inserter(term.fields), parse_field);
    const auto sound = [](const Requirement& requirement) { return !requirement.fault; };
    term.usable = !(term.expressions.empty() && term.fields.empty()) &&
                  std::ranges::all_of(term.expressions, sound) &&
                  std::ranges::all_of(term.fields, sound);
  }
}

bool NodeAffinity::holds(const Requirement& requirement, const model::Text* value) {
  const auto listed = [&] { return std::ranges::find(requirement.values, *value); };
  switch (requirement.op) {
    case Operator::In: return value != nullptr && listed() != requirement.values.end();
    case Operator::NotIn: return value == nullptr || listed() == requirement.values.end();
    case Operator::Exists: return value != nullptr;
    case Operator::DoesNotExist: return value == nullptr;
    case Operator::Gt:
    case Operator::Lt:
    default: {
      if (value == nullptr) return false;
      const auto number = parse_lenient_integer(*value);
      if (!number) return false;
      return requirement.op == Operator::Gt ? *number > requirement.number
                                            : *number < requirement.number;
    }
  }
}

bool NodeAffinity::holds_for_field(const Requirement& requirement, const model::Node& node) {
  if (node.meta.name.empty()) return true;  // Kubernetes skips the fields of a nameless node
  const model::Text other_field;            // Kubernetes takes every other field as ""
  return holds(requirement, requirement.key == name_field ? &node.meta.name : &other_field);
}

bool NodeAffinity::matches(const Term& term, const model::Node& node) {
  return term.usable &&
         std::ranges::all_of(
             term.expressions,
             [&](const Requirement& r) { return holds(r, node.meta.labels.find(r.key)); }) &&
         std::ranges::all_of(term.fields,
                             [&](const Requirement& r) { return holds_for_field(r, node); });
}

bool NodeAffinity::matches(const model::Node& node) const {
  return std::ranges::any_of(terms_, [&](const Term& term) { return matches(term, node); });
}

std::vector<RequirementFailure> NodeAffinity::failures(const model::Node& node) const {
  std::vector<RequirementFailure> result;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Term& term = terms_[t];
    for (std::size_t i = 0; i < term.expressions.size(); ++i) {
      const Requirement& requirement = term.expressions[i];
      if (requirement.fault || !holds(requirement, node.meta.labels.find(requirement.key))) {
        result.push_back({t, false, i, requirement.fault});
      }
    }
    for (std::size_t i = 0; i < term.fields.size(); ++i) {
      const Requirement& requirement = term.fields[i];
      if (requirement.fault || !holds_for_field(requirement, node)) {
        result.push_back({t, true, i, requirement.fault});
      }
    }
  }
  return result;
}

bool NodeAffinity::usable() const {
  return std::ranges::any_of(terms_, [](const Term& term) { return term.usable; });
}

const model::Text* value_for(const model::NodeSelectorRequirement& requirement, bool in_fields,
                             const model::Text& name, const model::Labels& labels) {
  if (!in_fields) return labels.find(requirement.key);
  return requirement.key == name_field ? &name : nullptr;
}

}  // namespace dsdoctor::placement
