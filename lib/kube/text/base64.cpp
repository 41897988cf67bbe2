// SPDX-License-Identifier: Apache-2.0
#include "kube/text/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace dsdoctor::kube {
namespace {

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* octets(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL appends a NUL
  EVP_EncodeBlock(octets(text), octets(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string symbols(text);
  std::erase_if(symbols, [](char c) { return c == '\r' || c == '\n'; });
  // OpenSSL reads '=' as a zero in any position, and skips blanks at both ends.
  const std::size_t padding = symbols.size() - (symbols.find_last_not_of('=') + 1);
  if (symbols.size() % 4 != 0 || padding > 2 || symbols.find('=') < symbols.size() - padding) {
    return std::nullopt;
  }
  std::string bytes(symbols.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(octets(bytes), octets(symbols), static_cast<int>(symbols.size()));
  if (length != static_cast<int>(bytes.size())) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::optional<std::string> decode_base64_url(std::string_view text) {
  if (text.find_first_of("+/=\r\n") != std::string_view::npos) return std::nullopt;
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  while (standard.size() % 4 != 0) standard += '=';
  return decode_base64(standard);
}

}  // namespace dsdoctor::kube
