// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// `content` as YAML. JSON is YAML except for tabs between tokens; in JSON, all tabs become blanks,
/// since strings cannot contain them.
[[nodiscard]] std::string as_yaml(std::string_view content);

/// The only document of a file that users write; null if the file is empty. `text` is the result of
/// as_yaml. Errors: Malformed, with `file:line:column` if known: invalid YAML, a duplicate key,
/// several documents.
[[nodiscard]] base::Result<nlohmann::json> yaml_file(const std::string& text,
                                                     std::string_view file);

}  // namespace dsdoctor::decode
