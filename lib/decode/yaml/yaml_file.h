#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// JSON is YAML but for tabs, which it allows between its tokens and nowhere else; here they are
/// blanks.
[[nodiscard]] std::string as_yaml(std::string_view content);

/// The one document of a file that users write; null where it is empty. `text` is what as_yaml
/// gives. Errors: Malformed, `file:line:column` where there is one: no YAML, a key that is given
/// twice, several documents.
[[nodiscard]] base::Result<nlohmann::json> yaml_file(const std::string& text,
                                                     std::string_view file);

}  // namespace dsdoctor::decode
