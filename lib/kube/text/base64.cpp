#include "kube/text/base64.h"

#include <cstdint>

namespace dsdoctor::kube {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    count += 8;
    while (count >= 6) {
      count -= 6;
      text += alphabet[bits >> static_cast<unsigned>(count) & 63U];
    }
  }
  if (count > 0) text += alphabet[bits << static_cast<unsigned>(6 - count) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t symbols = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    ++symbols;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto value = alphabet.find(c);
    if (padding > 0 || value == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    const std::size_t phase = symbols % 4;  // 1: 6 bits so far, 2: 12, 3: 18, 0: 24
    if (phase != 1) bytes += static_cast<char>(bits >> (phase == 0 ? 0U : phase == 3 ? 2U : 4U));
  }
  if (symbols % 4 != 0 || padding > 2) return std::nullopt;
  return bytes;
}

std::optional<std::string> decode_base64_url(std::string_view text) {
  std::string standard;
  standard.reserve(text.size() + 3);
  for (const char c : text) {
    if (c == '+' || c == '/' || c == '=' || c == '\r' || c == '\n') return std::nullopt;
    standard += c == '-' ? '+' : c == '_' ? '/' : c;
  }
  while (standard.size() % 4 != 0) standard += '=';
  return decode_base64(standard);
}

}  // namespace dsdoctor::kube
