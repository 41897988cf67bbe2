// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dsdoctor::kube {

/// Parses an address into 4 or 16 bytes; an IPv4-mapped IPv6 address becomes IPv4.
using AddressBytes = std::vector<unsigned char>;
[[nodiscard]] std::optional<AddressBytes> parse_address(std::string_view text);

enum class AddressKind { V4, V6 };

/// Parses an address of the given kind into 4 or 16 bytes: inet_pton, whose header differs by
/// system.
[[nodiscard]] bool read_address(AddressKind kind, const char* text, unsigned char* bytes);

enum class ConnectProblem { Refused, NoRoute, Unreachable, TimedOut, Other };

/// Classifies a system error: errno, or on Windows WSAGetLastError.
[[nodiscard]] ConnectProblem connect_problem(long os_error);

/// Ends the connection if sent data is not acknowledged within `limit`, on systems that support it.
void limit_unanswered(std::intptr_t socket, std::chrono::milliseconds limit);

}  // namespace dsdoctor::kube
