// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// Content that is neither JSON nor YAML, as a noun phrase such as "an HTML page".
struct Foreign {
  std::string what;
  std::string advice;  // what to do instead; may be empty

  friend bool operator==(const Foreign&, const Foreign&) = default;
};

/// The byte order mark, which editors on Windows write at the beginning of a text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Checks the first bytes (512 are enough). Null if it may be text.
[[nodiscard]] std::optional<Foreign> foreign_content(std::string_view opening);

/// Reports whether the first bytes of a file without extension look like objects in JSON or YAML.
[[nodiscard]] bool opens_objects(std::string_view opening);

/// 1-based; a column counts characters, not bytes.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};
[[nodiscard]] Place place_of(std::string_view text, std::size_t offset);

/// "nodes.yaml:14:3"
[[nodiscard]] std::string to_string(std::string_view file, Place place);

/// The offset of the first byte that is not part of valid UTF-8; null if all bytes are valid.
[[nodiscard]] std::optional<std::size_t> invalid_utf8(std::string_view text);

/// The first bytes in quotes, shortened, with control characters escaped.
[[nodiscard]] std::string quoted_opening(std::string_view text, std::size_t at_most = 32);

}  // namespace dsdoctor::decode
