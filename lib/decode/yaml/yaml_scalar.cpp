// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "decode/yaml/go_number.h"

namespace dsdoctor::decode {
namespace {

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> nulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> trues = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> falses = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};

/// Parses like Go's ParseInt and ParseUint with base 0: 0x, 0o, 0b, and a leading zero for octal.
std::optional<nlohmann::json> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int radix = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = text[1];
    radix = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(radix != 8 || mark == 'o' || mark == 'O' ? 2 : 1);
  }
  const auto value = base::to_number<std::uint64_t>(text, radix);
  constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
  if (!value || (negative && *value > limit)) return std::nullopt;
  if (negative) return nlohmann::json(static_cast<std::int64_t>(~*value + 1));
  if (*value < limit) return nlohmann::json(static_cast<std::int64_t>(*value));
  return nlohmann::json(*value);
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && base::is_digit(text[at])) ++at;
  return at;
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  const std::size_t start = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  std::size_t at = skip_digits(text, start);
  const bool whole = at > start;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip_digits(text, at + 1);
    if (!whole && fraction == at + 1) return false;
    at = fraction;
  } else if (!whole) {
    return false;
  }
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && skip_digits(text, at) == text.size();
}

std::optional<nlohmann::json> floating(std::string_view text) {
  if (!is_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return number_json(value);
}

bool may_be_number(char first) {
  return base::is_digit(first) || first == '-' || first == '+' || first == '.';
}

/// Reports whether the text is a string by its length and first character.
bool is_string(std::string_view text) {
  constexpr std::size_t longest_word = 5;
  return text.size() > longest_word && !may_be_number(text.front());
}

}  // namespace

nlohmann::json plain_scalar(const std::string& text) {
  if (one_of(text, nulls)) return nullptr;
  if (one_of(text, trues)) return true;
  if (one_of(text, falses)) return false;
  if (!may_be_number(text.front())) return text;
  std::string digits = text;
  std::erase(digits, '_');
  if (auto value = integer(digits)) return *value;
  if (auto value = floating(digits)) return *value;
  return text;
}

bool is_typed_by_content(std::string_view tag) {
  constexpr std::string_view core = "tag:yaml.org,2002:";
  if (!tag.starts_with(core)) return false;
  tag.remove_prefix(core.size());
  return tag == "int" || tag == "float" || tag == "bool" || tag == "null";
}

void write_plain(std::string& json, std::string_view text) {
  if (is_string(text)) return write_quoted(json, text);
  const bool as_written = base::is_number(text) && text.front() != '0' && text.size() < 19;
  if (as_written) {
    json += text;
    return;
  }
  const nlohmann::json value = plain_scalar(std::string(text));
  if (value.is_string()) return write_quoted(json, text);
  json += value.dump();
}

void write_quoted(std::string& json, std::string_view text) {
  json += '"';
  for (;;) {
    const auto special = std::ranges::find_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; });
    json.append(text.begin(), special);
    if (special == text.end()) break;
    switch (const char c = *special) {
      case '\n': json += "\\n"; break;
      case '\t': json += "\\t"; break;
      case '"':
      case '\\': (json += '\\') += c; break;
      default: json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()) + 1);
  }
  json += '"';
}

std::optional<std::string> plain_key(std::string_view text) {
  if (is_string(text)) return std::string(text);
  const nlohmann::json value = plain_scalar(std::string(text));
  if (value.is_null()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace dsdoctor::decode
