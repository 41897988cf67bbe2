#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dsdoctor::base {

/// Text from a server or a kubeconfig, made harmless for a terminal: ESC becomes `^[`,
/// carriage return `\r`; other control characters, marks of direction, separators of lines and what
/// is no character `U+XXXX`; invalid UTF-8 U+FFFD. Newline and tab stay. Cut after `limit` bytes of
/// the input, at a character.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = std::string::npos);

/// The same for a place that has one line: newline and tab become `\n` and `\t`.
[[nodiscard]] std::string printable_line(std::string_view text);

/// False when it holds CR, LF, NUL or another control character: no header may carry it.
[[nodiscard]] bool fits_header(std::string_view value);

/// False for NUL bytes and invalid UTF-8.
[[nodiscard]] bool is_utf8_text(std::string_view bytes);

}  // namespace dsdoctor::base
