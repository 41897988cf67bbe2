// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

namespace dsdoctor::base {
namespace {

struct Rune {
  std::uint32_t value;
  std::size_t length;
};

/// The first character; null for an invalid sequence: overlong, surrogate, beyond U+10FFFF, or cut.
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

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Unicode's Default_Ignorable_Code_Point, which includes bidirectional marks, and other characters
/// that are invisible or end a line: controls, line separators, annotations. Sorted.
constexpr std::array<Range, 21> hidden_ranges = {
    {{0x00, 0x1F},      {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F},
     {0x061C, 0x061C},  {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
     {0x200B, 0x200F},  {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
     {0xFDD0, 0xFDEF},  {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
     {0xFFF0, 0xFFFB},  {0x13430, 0x1345F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
     {0xE0000, 0xE0FFF}}};

bool is_hidden(std::uint32_t rune) {
  if (rune == '\n' || rune == '\t') return false;
  if (rune >= ' ' && rune < 0x7F) return false;
  if ((rune & 0xFFFEU) == 0xFFFEU) return true;  // noncharacters, in every plane
  const auto* after = std::ranges::upper_bound(hidden_ranges, rune, {}, &Range::first);
  return after != hidden_ranges.begin() && rune <= std::prev(after)->last;
}

std::string in_json(std::uint32_t rune) {
  if (rune < 0x10000) return fmt::format("\\u{:04x}", rune);
  const std::uint32_t offset = rune - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10U), 0xDC00 + (offset & 0x3FFU));
}

std::string escaped(std::uint32_t rune, Notation notation) {
  switch (notation) {
    case Notation::Json: return in_json(rune);
    case Notation::Yaml:
      return rune < 0x10000 ? fmt::format("\\u{:04X}", rune) : fmt::format("\\U{:08X}", rune);
    case Notation::Text: break;
  }
  if (rune == 0x1B) return "^[";
  return rune == '\r' ? "\\r" : fmt::format("U+{:04X}", rune);
}

/// Reports whether the byte begins a character that may be hidden.
bool may_hide(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\n' && c != '\t') || byte >= 0x7F;
}

/// Size of the longest prefix within `limit` bytes that does not cut a character; up to three bytes
/// follow a character's first.
std::size_t end_within(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  for (int i = 0; i < 3 && limit > 0 && continues(limit); ++i) --limit;
  return limit;
}

}  // namespace

std::string with_hidden_escaped(std::string_view text, Notation notation) {
  std::string result;
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if(text, may_hide) - text.begin());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto rune = first_rune(text);
    if (!rune) {
      result += "\uFFFD";
    } else if (is_hidden(rune->value)) {
      result += escaped(rune->value, notation);
    } else {
      result += text.substr(0, rune->length);
    }
    text.remove_prefix(rune ? rune->length : 1);
  }
  return result;
}

std::string printable(std::string_view text, std::size_t limit) {
  return with_hidden_escaped(text.substr(0, end_within(text, limit)), Notation::Text);
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

std::string limited(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::size_t end = end_within(text, limit);
  return fmt::format("{}... ({} bytes more)", text.substr(0, end), text.size() - end);
}

std::string shortened_line(std::string_view text, std::size_t limit) {
  return printable_line(limited(text, limit));
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
