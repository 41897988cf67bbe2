// SPDX-License-Identifier: Apache-2.0
#include "placement/label_syntax.h"

#include <algorithm>
#include <string>

namespace dsdoctor::placement {
namespace {

constexpr std::size_t max_name_bytes = 63;
constexpr std::size_t max_prefix_bytes = 253;

// ASCII only and independent of the locale, unlike <cctype>.
bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_name_byte(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_bytes && is_alphanumeric(name.front()) &&
         is_alphanumeric(name.back()) && std::ranges::all_of(name, is_name_byte);
}

bool is_dns_part(std::string_view part) {
  const auto allowed = [](char c) { return is_lower_or_digit(c) || c == '-'; };
  return !part.empty() && is_lower_or_digit(part.front()) && is_lower_or_digit(part.back()) &&
         std::ranges::all_of(part, allowed);
}

bool is_dns_subdomain(std::string_view name) {
  if (name.empty() || name.size() > max_prefix_bytes) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_dns_part(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_name(key);
  return is_dns_subdomain(key.substr(0, slash)) && is_name(key.substr(slash + 1));
}

bool differs_in_spelling(std::string_view a, std::string_view b) {
  if (a == b) return false;
  const auto skip = [](std::string_view& text) {
    while (!text.empty() && (text[0] == '-' || text[0] == '_' || text[0] == '.')) {
      text.remove_prefix(1);
    }
  };
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (skip(a), skip(b); !a.empty() && !b.empty(); skip(a), skip(b)) {
    if (lower(a[0]) != lower(b[0])) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

bool is_label_value(std::string_view value) { return value.empty() || is_name(value); }

}  // namespace dsdoctor::placement
