// SPDX-License-Identifier: Apache-2.0
#include "redaction/addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::redaction {
namespace {

using base::is_digit;
using base::is_hexadecimal;

/// Length of the IPv4 address with this separator at the start of a text; 0 if there is none.
std::size_t ipv4_length(std::string_view text, char separator) {
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != separator)) return 0;
    int value = 0;
    std::size_t digits = 0;
    for (; at < text.size() && is_digit(text[at]); ++at, ++digits) {
      if (digits < 3) value = value * 10 + text[at] - '0';
    }
    if (digits == 0 || digits > 3 || value > 255) return 0;
  }
  return at;
}
bool is_ipv4(std::string_view text, char separator = '.') {
  return !text.empty() && ipv4_length(text, separator) == text.size();
}

bool is_ipv6(std::string_view text) {
  const auto colons = std::ranges::count(text, ':');
  return (colons == 7 || (colons >= 2 && text.find("::") != std::string_view::npos)) &&
         std::ranges::all_of(text,
                             [](char c) { return is_hexadecimal(c) || c == ':' || c == '.'; });
}

bool is_mac(std::string_view text) {
  constexpr std::size_t length = 17;
  if (text.size() != length || (text[2] != ':' && text[2] != '-')) return false;
  for (std::size_t i = 0; i < length; ++i) {
    if (i % 3 == 2 ? text[i] != text[2] : !is_hexadecimal(text[i])) return false;
  }
  return true;
}

bool is_of_no_host(std::string_view address) {
  return address == "0.0.0.0" || address == "::" || address == "::1" || address.starts_with("127.");
}

bool is_uid(std::string_view text) {
  constexpr std::size_t length = 36;
  if (text.size() != length) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hexadecimal(text[i])) return false;
  }
  return true;
}

}  // namespace

std::string Addresses::whole(std::string_view text) {
  if (is_ipv4(text) || is_ipv6(text)) return ip(text);
  if (is_uid(text)) return uid(text);
  if (is_mac(text)) return mac(text);
  return is_ipv4(text, '-') ? with_dashes(text) : std::string();
}

Addresses::Part Addresses::find_ipv4(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts =
        is_digit(text[at]) && (at == 0 || (!is_digit(text[at - 1]) && text[at - 1] != '.'));
    const std::size_t size = starts ? ipv4_length(text.substr(at), '.') : 0;
    if (size > 0) return {at, size};
  }
  return {};
}

Addresses::Part Addresses::find_mac(std::string_view text) {
  constexpr std::size_t length = 17;
  for (std::size_t at = 0; at + length <= text.size(); ++at) {
    if (is_mac(text.substr(at, length))) return {at, length};
  }
  return {};
}

/// Uses 198.18.0.0/15, which is reserved for benchmarks, and 2001:db8::/32, which is reserved for
/// documentation.
std::string Addresses::ip(std::string_view address) {
  if (is_of_no_host(address)) return std::string(address);
  const std::size_t number = ips_.size() + 1;
  const std::string replacement =
      is_ipv4(address) ? fmt::format("198.{}.{}.{}", 18 + ((number >> 16U) & 1U),
                                     (number >> 8U) & 0xffU, number & 0xffU)
                       : fmt::format("2001:db8::{:x}:{:x}", number >> 16U, number & 0xffffU);
  return ips_.try_emplace(std::string(address), replacement).first->second;
}

/// Replaces "10-0-1-7" like 10.0.1.7: clouds name machines after their addresses.
std::string Addresses::with_dashes(std::string_view address) {
  std::string dotted(address);
  std::ranges::replace(dotted, '-', '.');
  std::string result = ip(dotted);
  std::ranges::replace(result, '.', '-');
  return result;
}

std::string Addresses::mac(std::string_view address) {
  const std::size_t number = macs_.size() + 1;
  const std::string replacement =
      fmt::format("02:00:00:{:02x}:{:02x}:{:02x}", (number >> 16U) & 0xffU, (number >> 8U) & 0xffU,
                  number & 0xffU);
  return macs_.try_emplace(std::string(address), replacement).first->second;
}

std::string Addresses::uid(std::string_view uid) {
  return uids_
      .try_emplace(std::string(uid),
                   fmt::format("00000000-0000-4000-8000-{:012x}", uids_.size() + 1))
      .first->second;
}

}  // namespace dsdoctor::redaction
