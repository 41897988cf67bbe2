// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dsdoctor::redaction {

/// Replaces addresses of all kinds and UIDs with others of the same form, each with the same one in
/// all places.
class Addresses {
 public:
  /// The replacement if the whole text is an IP address, a MAC address or a UID; else empty.
  /// Addresses that identify no host, such as 127.0.0.1, stay.
  [[nodiscard]] std::string whole(std::string_view text);
  [[nodiscard]] std::string ip(std::string_view address);
  [[nodiscard]] std::string uid(std::string_view uid);

  /// A part of a text.
  struct Part {
    std::size_t at = std::string_view::npos;
    std::size_t size = 0;
  };
  /// The first IPv4 or MAC address in a longer text: `NAME-PENDING-10.0.1.7`.
  [[nodiscard]] static Part find_ipv4(std::string_view text);
  [[nodiscard]] static Part find_mac(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Table = std::unordered_map<std::string, std::string, Hash, std::equal_to<>>;
  [[nodiscard]] std::string mac(std::string_view address);
  [[nodiscard]] std::string with_dashes(std::string_view address);

  Table ips_;
  Table macs_;
  Table uids_;
};

}  // namespace dsdoctor::redaction
