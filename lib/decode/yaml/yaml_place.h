// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::decode {

/// The position of a value in a YAML text: "file:line:column". `path` starts at the top of the
/// document: a key for a mapping, "2" for the third item of a list. The position of an entry of a
/// mapping is that of its key; that of a missing value is that of its nearest existing parent.
/// REQUIRES: yaml_to_json accepts the text.
[[nodiscard]] std::string yaml_place(const std::string& text, std::string_view file,
                                     const std::vector<std::string>& path);

}  // namespace dsdoctor::decode
