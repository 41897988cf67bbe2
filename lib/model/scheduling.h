// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "model/optional_time.h"
#include "model/text.h"

/// Taints, tolerations and selectors as in the API. Words such as an operator are stored as read,
/// because files can contain words that no API server accepts; each has a defined meaning (usually:
/// matches nothing). Source of truth: k8s.io/api/core/v1/types.go.
namespace dsdoctor::model {

namespace effect {
inline constexpr const char* no_schedule = "NoSchedule";
inline constexpr const char* prefer_no_schedule = "PreferNoSchedule";
inline constexpr const char* no_execute = "NoExecute";
}  // namespace effect

struct Taint {
  Text key;
  Text value;
  Text effect;
  /// Time at which it was added; only the node controller always sets it. Not part of the identity:
  /// taints that differ only in it are equal.
  OptionalTime time_added = {};

  friend std::strong_ordering operator<=>(const Taint& a, const Taint& b) {
    return std::tie(a.key, a.value, a.effect) <=> std::tie(b.key, b.value, b.effect);
  }
  friend bool operator==(const Taint& a, const Taint& b) {
    return std::tie(a.key, a.value, a.effect) == std::tie(b.key, b.value, b.effect);
  }
};

struct Toleration {
  Text key;  // empty: any key
  Text op;   // empty means Equal
  Text value;
  Text effect;                                                    // empty: any effect
  std::optional<std::int64_t> toleration_seconds = std::nullopt;  // seconds; absent: forever

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct NodeSelectorRequirement {
  Text key;
  Text op;
  std::vector<Text> values;

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// Requirements are ANDed. A term without requirements matches nothing.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;  // over labels
  std::vector<NodeSelectorRequirement> match_fields;       // over metadata.name

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// requiredDuringSchedulingIgnoredDuringExecution. Terms are ORed; an empty list matches nothing.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// An integer or a percentage (`25%`), for maxUnavailable and maxSurge.
struct IntOrPercent {
  std::int64_t value = 0;
  bool percent = false;

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;
};

}  // namespace dsdoctor::model
