// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace dsdoctor::decode {

/// The string in a field of an object; empty if it is absent or not a string.
[[nodiscard]] inline std::string text_in(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

[[nodiscard]] inline base::Error bad_continue_token(const std::string& where) {
  return {base::ErrorKind::Malformed, where, "metadata.continue: expected a string"};
}

/// The token of a list's next page; empty at the end of the list. A token that is not a string is
/// an error, because the next page is missing.
[[nodiscard]] inline base::Result<std::string> continue_token_of(const nlohmann::json& list,
                                                                 const std::string& where) {
  const auto meta = list.find("metadata");
  if (meta == list.end() || !meta->is_object()) return std::string();
  const auto at = meta->find("continue");
  if (at != meta->end() && !at->is_string() && !at->is_null()) return bad_continue_token(where);
  return text_in(*meta, "continue");
}

}  // namespace dsdoctor::decode
