#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// Text from a server or a kubeconfig, made harmless for a terminal: ESC becomes `^[`, other
/// control characters and the bidirectional overrides become `U+XXXX`, invalid UTF-8 becomes
/// U+FFFD. Newline and tab stay. Cut after `limit` bytes of the input, at a character.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = std::string::npos);

/// False when it holds CR, LF, NUL or another control character: no header may carry it.
[[nodiscard]] bool fits_header(std::string_view value);

/// False for NUL bytes and invalid UTF-8.
[[nodiscard]] bool is_utf8_text(std::string_view bytes);

}  // namespace dsdoctor::kube
