// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/scheduling.h"

namespace dsdoctor::placement {

/// Why a requirement cannot be parsed; its whole term then never matches.
enum class RequirementFault {
  UnknownOperator,
  NeedsValues,       // In, NotIn without values
  TakesNoValues,     // Exists, DoesNotExist with values
  NeedsOneValue,     // Gt, Lt, and every field requirement
  NotAnInteger,      // Gt, Lt
  IllegalKey,        // not a label key
  IllegalValue,      // not a label value, whatever the operator
  UnsupportedField,  // matchFields support only In and NotIn
};

/// A requirement that keeps a term from matching a node.
struct RequirementFailure {
  std::size_t term = 0;    // into nodeSelectorTerms
  bool in_fields = false;  // into matchFields, else into matchExpressions
  std::size_t index = 0;
  /// Set: the requirement matches no node. Absent: it does not match this node.
  std::optional<RequirementFault> fault;

  friend bool operator==(const RequirementFailure&, const RequirementFailure&) = default;
};

/// Required node affinity, parsed once and matched against many nodes.
/// Source of truth: kubernetes v1.36.2, staging/src/k8s.io/component-helpers/scheduling/corev1/
/// nodeaffinity/nodeaffinity.go: LazyErrorNodeSelector; apimachinery pkg/labels/selector.go.
class NodeAffinity {
 public:
  /// Copies the parts of `selector` that it needs.
  explicit NodeAffinity(const model::NodeSelector& selector);

  [[nodiscard]] bool matches(const model::Node& node) const;

  /// Every requirement of every term that fails on `node`, terms that cannot be parsed included;
  /// an empty term adds nothing. REQUIRES: !matches(node).
  [[nodiscard]] std::vector<RequirementFailure> failures(const model::Node& node) const;

  /// False: no node can match, because there are no terms, or all are empty or cannot be parsed.
  [[nodiscard]] bool usable() const;

 private:
  enum class Operator { In, NotIn, Exists, DoesNotExist, Gt, Lt };
  struct Requirement {
    model::Text key;
    Operator op = Operator::In;
    std::vector<model::Text> values;
    std::int64_t number = 0;  // Gt, Lt
    std::optional<RequirementFault> fault;
  };
  struct Term {
    std::vector<Requirement> expressions;
    std::vector<Requirement> fields;
    bool usable = false;
  };

  static Requirement parse_expression(const model::NodeSelectorRequirement& raw);
  static Requirement parse_field(const model::NodeSelectorRequirement& raw);
  static std::optional<RequirementFault> shape_fault(const Requirement& requirement);
  static bool holds(const Requirement& requirement, const model::Text* value);
  static bool holds_for_field(const Requirement& requirement, const model::Node& node);
  static bool matches(const Term& term, const model::Node& node);

  std::vector<Term> terms_;
};

/// The node's value for a failed requirement: the label's value or the node's name; null if absent.
/// Valid as long as name and labels are.
[[nodiscard]] const model::Text* value_for(const model::NodeSelectorRequirement& requirement,
                                           bool in_fields, const model::Text& name,
                                           const model::Labels& labels);
[[nodiscard]] inline const model::Text* value_for(const model::NodeSelectorRequirement& requirement,
                                                  bool in_fields, const model::Node& node) {
  return value_for(requirement, in_fields, node.meta.name, node.meta.labels);
}

}  // namespace dsdoctor::placement
