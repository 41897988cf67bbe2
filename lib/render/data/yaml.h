// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dsdoctor::render {

/// The same document as YAML, in the layout of kubectl: two blanks of indent, list items not
/// indented under their key. A string that could be read as anything else is quoted.
[[nodiscard]] std::string yaml_text(const nlohmann::ordered_json& document);

}  // namespace dsdoctor::render
