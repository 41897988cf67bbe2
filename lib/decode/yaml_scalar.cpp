#include "decode/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

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

/// As Go's ParseInt with base 0: 0x, 0o, 0b, and a leading zero for octal.
std::optional<std::int64_t> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base != 8 || mark == 'o' || mark == 'O' ? 2 : 1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const std::uint64_t limit = std::uint64_t{1} << 63U;
  if (negative ? value > limit : value >= limit) return std::nullopt;
  return negative ? static_cast<std::int64_t>(~value + 1) : static_cast<std::int64_t>(value);
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// [-+]?[0-9]*\.?[0-9]+([eE][-+][0-9]+)?
bool is_float(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t whole = skip_digits(text, at);
  std::size_t end = whole;
  if (whole < text.size() && text[whole] == '.') {
    end = skip_digits(text, whole + 1);
    if (end == whole + 1) return false;
  } else if (whole == at) {
    return false;
  }
  at = end;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at == text.size() || (text[at] != '-' && text[at] != '+')) return false;
  end = skip_digits(text, at + 1);
  return end == text.size() && end > at + 1;
}

}  // namespace

nlohmann::json plain_scalar(const std::string& text) {
  if (one_of(text, nulls)) return nullptr;
  if (one_of(text, trues)) return true;
  if (one_of(text, falses)) return false;
  const char first = text.front();
  const bool numeric =
      (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.';
  if (!numeric) return text;
  std::string digits = text;
  std::erase(digits, '_');
  if (const auto value = integer(digits)) return *value;
  if (is_float(digits)) {
    double value = 0;
    const char* begin = digits.data() + (digits.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value);
    if (error == std::errc()) return value;
  }
  return text;
}

}  // namespace dsdoctor::decode
