// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dsdoctor::base {

/// How a hidden character is written.
enum class Notation {
  Text,  // `^[` for ESC, `\r`, else `U+XXXX`
  Json,  // inside a string of JSON: `\uxxxx`, two of them beyond U+FFFF
  Yaml,  // inside double quotes of YAML: `\uXXXX`, `\UXXXXXXXX`
};

/// `text` with each character escaped that is invisible, changes the display of others, or ends a
/// line for some readers: control characters (also C1), bidirectional marks, zero-width and other
/// ignorable characters, U+2028 and U+2029, noncharacters. Newline and tab stay. Invalid UTF-8
/// becomes U+FFFD. For JSON, `text` may be a whole document.
[[nodiscard]] std::string with_hidden_escaped(std::string_view text, Notation notation);

/// Text from a server or a kubeconfig, made harmless for a terminal: with_hidden_escaped in
/// Notation::Text. Cut after at most `limit` bytes of the input, between characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = std::string::npos);

/// The same on one line: newline and tab become `\n` and `\t`.
[[nodiscard]] std::string printable_line(std::string_view text);

/// Maximum size in bytes of foreign text in one line on stderr.
inline constexpr std::size_t longest_line = 4096;

/// The first `limit` bytes, cut between characters, and the number of bytes left out.
[[nodiscard]] std::string limited(std::string_view text, std::size_t limit = longest_line);

/// printable_line of `limited(text, limit)`.
[[nodiscard]] std::string shortened_line(std::string_view text, std::size_t limit = longest_line);

/// Reports whether an HTTP header can carry `value`: it has no CR, LF, NUL or other control
/// character except tab.
[[nodiscard]] bool fits_header(std::string_view value);

/// Reports whether `bytes` are valid UTF-8 without NUL.
[[nodiscard]] bool is_utf8_text(std::string_view bytes);

}  // namespace dsdoctor::base
