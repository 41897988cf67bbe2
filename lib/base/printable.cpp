#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace dsdoctor::base {
namespace {

struct Rune {
  std::uint32_t value;
  std::size_t length;
};

/// Null for an invalid sequence: overlong, surrogate, beyond U+10FFFF, or cut.
std::optional<Rune> first_rune(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return Rune{lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return std::nullopt;
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return std::nullopt;
    value = value << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFF) return std::nullopt;
  if (value >= 0xD800 && value <= 0xDFFF) return std::nullopt;
  return Rune{value, length};
}

bool is_hostile(std::uint32_t rune) {
  if (rune == '\n' || rune == '\t') return false;
  const bool directs = rune == 0x061C || rune == 0x200E || rune == 0x200F ||
                       (rune >= 0x202A && rune <= 0x202E) || (rune >= 0x2066 && rune <= 0x2069);
  const bool ends_line = rune == 0x2028 || rune == 0x2029;
  const bool is_none = (rune & 0xFFFEU) == 0xFFFEU || rune == 0xFEFF;
  return rune < 0x20 || (rune >= 0x7F && rune <= 0x9F) || directs || ends_line || is_none;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < limit) {
    const auto rune = first_rune(text.substr(at));
    if (!rune) {
      result += "\uFFFD";
      ++at;
      continue;
    }
    if (rune->value == 0x1B) {
      result += "^[";
    } else if (rune->value == '\r') {
      result += "\\r";
    } else if (is_hostile(rune->value)) {
      result += fmt::format("U+{:04X}", rune->value);
    } else {
      result += text.substr(at, rune->length);
    }
    at += rune->length;
  }
  return result;
}

std::string printable_line(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += c;
    }
  }
  return result;
}

bool fits_header(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  });
}

bool is_utf8_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto rune = first_rune(bytes);
    if (!rune || rune->value == 0) return false;
    bytes.remove_prefix(rune->length);
  }
  return true;
}

}  // namespace dsdoctor::base
