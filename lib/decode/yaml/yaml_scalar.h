// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace dsdoctor::decode {

/// The value of a plain scalar: null, a boolean, a number or a string.
/// Source of truth: sigs.k8s.io/yaml v1.6 and the resolve.go it uses (go.yaml.in/yaml/v2).
[[nodiscard]] nlohmann::json plain_scalar(const std::string& text);

/// The key for a plain scalar: `yes` is "true", `010` is "8". Absent for null, which cannot be a
/// key.
[[nodiscard]] std::optional<std::string> plain_key(const std::string& text);

}  // namespace dsdoctor::decode
