// SPDX-License-Identifier: Apache-2.0
#include <winsock2.h>
#include <ws2tcpip.h>

#include "kube/os/sockets.h"

namespace dsdoctor::kube {

bool read_address(AddressKind kind, const char* text, unsigned char* bytes) {
  return ::inet_pton(kind == AddressKind::V4 ? AF_INET : AF_INET6, text, bytes) == 1;
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

/// On Windows TCP keepalive probes, which libcurl enables, end a connection.
void limit_unanswered(std::intptr_t /*socket*/, std::chrono::milliseconds /*limit*/) {}

}  // namespace dsdoctor::kube
