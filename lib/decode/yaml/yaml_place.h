#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::decode {

/// Where something is in a YAML text: "file:line:column". `path` leads from the document's top:
/// a key for a mapping, "2" for the third item of a list. The place of an entry of a mapping is
/// that of its key. What is not there has the place of the nearest thing above it. REQUIRES:
/// yaml_to_json accepts the text.
[[nodiscard]] std::string yaml_place(const std::string& text, std::string_view file,
                                     const std::vector<std::string>& path);

}  // namespace dsdoctor::decode
