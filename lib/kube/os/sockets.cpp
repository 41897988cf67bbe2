// SPDX-License-Identifier: Apache-2.0
#include "kube/os/sockets.h"

#include <algorithm>
#include <array>
#include <string>

namespace dsdoctor::kube {

std::optional<AddressBytes> parse_address(std::string_view text) {
  const std::string name(text);
  AddressBytes bytes(16);
  if (read_address(AddressKind::V4, name.c_str(), bytes.data())) {
    bytes.resize(4);
    return bytes;
  }
  if (!read_address(AddressKind::V6, name.c_str(), bytes.data())) return std::nullopt;
  constexpr std::array<unsigned char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::equal(mapped.begin(), mapped.end(), bytes.begin()))
    bytes.erase(bytes.begin(), bytes.begin() + 12);
  return bytes;
}

}  // namespace dsdoctor::kube
