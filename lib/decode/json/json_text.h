#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dsdoctor::decode {

/// A field of an object; empty where it is absent or no string.
[[nodiscard]] inline std::string text_in(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace dsdoctor::decode
