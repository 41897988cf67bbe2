// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The documents of a YAML stream as JSON texts, without empty ones. Plain scalars have the types
/// that kubectl gives them (YAML 1.1: yes, no, on and off are booleans, 010 is 8), quoted ones are
/// strings; aliases are resolved, merge keys (`<<`) merged; for duplicate keys the last value
/// counts, with a warning. Errors: Malformed, `file:line:column`, for text that is not YAML, is
/// nested more than 500 levels deep, is larger than 256 MiB, grows by more than 64 MiB through its
/// aliases, or takes more than 20 MiB of memory as values.
/// Source of truth: sigs.k8s.io/yaml v1.6.
[[nodiscard]] base::Result<std::vector<std::string>> yaml_documents(
    std::string_view content, std::string_view file, std::vector<model::Warning>& warnings);

/// The same as values.
[[nodiscard]] base::Result<std::vector<nlohmann::json>> yaml_to_json(
    std::string_view content, std::string_view file, std::vector<model::Warning>& warnings);

/// The message for a list whose kind, which comes after the items, is missing.
inline constexpr const char* yaml_list_without_kind =
    "a list without kind; is the file cut off? kind: List comes after items";

/// YAML documents converted to JSON text.
struct YamlText {
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

  std::deque<std::string> pieces;    // consecutive objects, cut anywhere
  std::optional<std::size_t> other;  // the first document that is neither object nor list
};

/// The same for texts of any size: if a document is a list, or has a list in `items`, the memory
/// limit applies to one item at a time. A list becomes an object with `items`; of the items that
/// are not objects, it has the first one only. Further error: Malformed for a list in `items`
/// without kind.
[[nodiscard]] base::Result<YamlText> yaml_to_text(std::string_view content, std::string_view file,
                                                  std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
