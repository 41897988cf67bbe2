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

/// `text` with every character escaped that shows nothing, changes how others show, or that some
/// reader takes for the end of a line: control characters (C1 too), marks of direction, zero-width
/// and other ignorable characters, U+2028 and U+2029, what is no character. Newline
/// and tab stay. Invalid UTF-8 becomes U+FFFD. JSON may be given as a whole document.
[[nodiscard]] std::string with_hidden_escaped(std::string_view text, Notation notation);

/// Text from a server or a kubeconfig, made harmless for a terminal: with_hidden_escaped as text.
/// Cut after `limit` bytes of the input, at a character.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = std::string::npos);

/// The same for a place that has one line: newline and tab become `\n` and `\t`.
[[nodiscard]] std::string printable_line(std::string_view text);

/// What a line on stderr holds at most of a text that others wrote.
inline constexpr std::size_t longest_line = 4096;

/// The first `limit` bytes, up to a character, and how many more there are.
[[nodiscard]] std::string limited(std::string_view text, std::size_t limit = longest_line);

/// printable_line of that.
[[nodiscard]] std::string shortened_line(std::string_view text, std::size_t limit = longest_line);

/// False when it holds CR, LF, NUL or another control character: no header may carry it.
[[nodiscard]] bool fits_header(std::string_view value);

/// False for NUL bytes and invalid UTF-8.
[[nodiscard]] bool is_utf8_text(std::string_view bytes);

}  // namespace dsdoctor::base
