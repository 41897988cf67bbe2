// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/catalogue/written_catalogue.h"

namespace dsdoctor::decode {

[[nodiscard]] constexpr bool has_parameter(const WrittenToken& token) {
  using enum WrittenToken::Kind;
  return token.kind == Value || token.kind == If || token.kind == Unless;
}

/// Parses the template of a message. Errors: Malformed, without a position, for an undeclared
/// parameter, a condition used as a value, a clause without start or end.
[[nodiscard]] base::Result<WrittenMessage> parse_message_template(
    std::string_view text, const std::vector<WrittenParameter>& parameters);

}  // namespace dsdoctor::decode
