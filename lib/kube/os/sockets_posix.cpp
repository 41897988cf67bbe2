// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "kube/os/sockets.h"

namespace dsdoctor::kube {

bool read_address(AddressKind kind, const char* text, unsigned char* bytes) {
  return ::inet_pton(kind == AddressKind::V4 ? AF_INET : AF_INET6, text, bytes) == 1;
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
