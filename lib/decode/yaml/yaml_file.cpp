// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "decode/yaml/yaml_to_json.h"

namespace dsdoctor::decode {

std::string as_yaml(std::string_view content) {
  std::string result(content);
  const auto first = result.find_first_not_of(" \t\r\n");
  const bool json_text = first != result.npos && (result[first] == '[' || result[first] == '{');
  if (json_text) std::ranges::replace(result, '\t', ' ');
  return result;
}

base::Result<nlohmann::json> yaml_file(const std::string& text, std::string_view file) {
  std::vector<model::Warning> warnings;
  auto documents = yaml_to_json(text, file, warnings);
  if (!documents) return documents.error();
  if (!warnings.empty()) {
    // The part about the consequence of a warning is not true for an error.
    const std::string& what = warnings.front().what;
    return base::Error{base::ErrorKind::Malformed, warnings.front().where,
                       what.substr(0, what.find(';'))};
  }
  if (documents->empty()) return nlohmann::json();
  if (documents->size() > 1) {
    return base::Error{base::ErrorKind::Malformed, std::string(file), "one document is expected"};
  }
  return std::move(documents->front());
}

}  // namespace dsdoctor::decode
