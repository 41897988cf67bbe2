#include "base/shell_word.h"

namespace dsdoctor::base {

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += R"('\'')";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,";
  const bool plain = !text.empty() && text.find_first_not_of(safe) == std::string_view::npos;
  return plain ? std::string(text) : single_quoted(text);
}

}  // namespace dsdoctor::base
