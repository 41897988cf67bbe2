// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// The value of a plain scalar: null, a boolean, a number or a string.
/// Source of truth: sigs.k8s.io/yaml v1.6 and the resolve.go it uses (go.yaml.in/yaml/v2).
[[nodiscard]] nlohmann::json plain_scalar(const std::string& text);

/// Reports whether the text of a scalar with this tag, in full, determines its type.
[[nodiscard]] bool is_typed_by_content(std::string_view tag);

/// Appends the JSON of a plain scalar.
void write_plain(std::string& json, std::string_view text);

/// Appends a text as a JSON string.
/// REQUIRES: valid UTF-8.
void write_quoted(std::string& json, std::string_view text);

/// The key for a plain scalar: `yes` is "true", `010` is "8". Absent for null, which cannot be a
/// key.
[[nodiscard]] std::optional<std::string> plain_key(std::string_view text);

}  // namespace dsdoctor::decode
