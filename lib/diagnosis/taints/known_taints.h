// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace dsdoctor::diagnosis {

/// An entry of known_taints.yaml, compiled into the program. Fields as in model::KnownTaint, with
/// enumerations as numbers. Only for TaintCatalogue.
struct KnownTaintRow {
  const char* id;
  const char* key;
  const char* values;  // each followed by a comma
  const char* node_label;
  const char* renamed_to;
  const char* effects;  // each followed by a comma
  const char* set_by;
  const char* setter;
  const char* family;
  const char* meaning;
  const char* auto_condition;
  const char* advice;
  const char* confidence;
  const char* suggested_key;
  const char* suggested_operator;
  const char* suggested_value;
  const char* suggested_effect;
  std::uint8_t match;
  std::uint8_t lifecycle;
  std::uint8_t for_node_agents;
  std::uint8_t in_general;
  bool value_decides;
  bool auto_tolerated;
  bool has_suggestion;
};

/// Generated at build time.
[[nodiscard]] std::span<const KnownTaintRow> known_taint_rows();

}  // namespace dsdoctor::diagnosis
