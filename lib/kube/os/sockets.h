#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dsdoctor::kube {

/// 4 or 16 bytes; an IPv4-mapped IPv6 address is IPv4.
using AddressBytes = std::vector<unsigned char>;
[[nodiscard]] std::optional<AddressBytes> parse_address(std::string_view text);

enum class AddressKind { V4, V6 };

/// Of one kind, to 4 or 16 bytes: inet_pton, which each system declares elsewhere.
[[nodiscard]] bool read_address(AddressKind kind, const char* text, unsigned char* bytes);

enum class ConnectProblem { Refused, NoRoute, Unreachable, TimedOut, Other };

/// Of what the system said: errno, or on Windows WSAGetLastError.
[[nodiscard]] ConnectProblem connect_problem(long os_error);

/// What is sent and not acknowledged for so long ends the connection, where the system can do that.
void limit_unanswered(std::intptr_t socket, std::chrono::milliseconds limit);

}  // namespace dsdoctor::kube
