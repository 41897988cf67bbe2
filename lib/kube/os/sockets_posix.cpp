#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
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
    case ECONNREFUSED: return ConnectProblem::Refused;
    case EHOSTUNREACH: return ConnectProblem::NoRoute;
    case ENETUNREACH: return ConnectProblem::Unreachable;
    case ETIMEDOUT: return ConnectProblem::TimedOut;
    default: return ConnectProblem::Other;
  }
}

void limit_unanswered(std::intptr_t socket, std::chrono::milliseconds limit) {
#if defined(TCP_USER_TIMEOUT)
  const auto unanswered = static_cast<unsigned>(limit.count());  // milliseconds
  (void)::setsockopt(static_cast<int>(socket), IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered,
                     sizeof unanswered);
#elif defined(TCP_RXT_CONNDROPTIME)  // macOS's
  const auto unanswered = static_cast<int>(std::chrono::ceil<std::chrono::seconds>(limit).count());
  (void)::setsockopt(static_cast<int>(socket), IPPROTO_TCP, TCP_RXT_CONNDROPTIME, &unanswered,
                     sizeof unanswered);
#endif
}

}  // namespace dsdoctor::kube
