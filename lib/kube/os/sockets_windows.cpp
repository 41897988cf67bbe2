#include <winsock2.h>
#include <ws2tcpip.h>

#include <algorithm>
#include <array>
#include <string>

#include "kube/os/sockets.h"

namespace dsdoctor::kube {

std::optional<AddressBytes> parse_address(std::string_view text) {
  const std::string name(text);
  AddressBytes bytes(16);
  if (::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1) {
    bytes.resize(4);
    return bytes;
  }
  if (::inet_pton(AF_INET6, name.c_str(), bytes.data()) != 1) return std::nullopt;
  constexpr std::array<unsigned char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::equal(mapped.begin(), mapped.end(), bytes.begin()))
    bytes.erase(bytes.begin(), bytes.begin() + 12);
  return bytes;
}

ConnectProblem connect_problem(long os_error) {
  switch (os_error) {
    case WSAECONNREFUSED: return ConnectProblem::Refused;
    case WSAEHOSTUNREACH: return ConnectProblem::NoRoute;
    case WSAENETUNREACH: return ConnectProblem::Unreachable;
    case WSAETIMEDOUT: return ConnectProblem::TimedOut;
    default: return ConnectProblem::Other;
  }
}

/// TCP's own probes, which libcurl asks for, end a connection here.
void limit_unanswered(std::intptr_t /*socket*/, std::chrono::milliseconds /*limit*/) {}

}  // namespace dsdoctor::kube
