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

/// The template of a message in its parts. Errors: Malformed, without a place, for a parameter that
/// is not declared, a condition in place of a value, a clause that does not end or begin.
[[nodiscard]] base::Result<WrittenMessage> parse_message_template(
    std::string_view text, const std::vector<WrittenParameter>& parameters);

}  // namespace dsdoctor::decode
