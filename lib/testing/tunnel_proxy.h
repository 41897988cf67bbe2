// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testing/certificates.h"

namespace dsdoctor::testing {

enum class ProxyKind { Http, Https, Socks5 };

/// A proxy on 127.0.0.1 that connects every tunnel, with any target, to one local port, so that a
/// test can use server names that do not resolve. Stops when the object is destroyed.
class TunnelProxy {
 public:
  /// `identity`: for Https.
  TunnelProxy(ProxyKind kind, int local_port, const KeyPair& identity = {});
  ~TunnelProxy();
  TunnelProxy(const TunnelProxy&) = delete;
  TunnelProxy& operator=(const TunnelProxy&) = delete;

  [[nodiscard]] int port() const;
  /// "host:port" of each tunnel, as requested by the client.
  [[nodiscard]] std::vector<std::string> targets() const;
  /// The heads of the CONNECT requests, or "user:password" of SOCKS5.
  [[nodiscard]] std::vector<std::string> heads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::testing
