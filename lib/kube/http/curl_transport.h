// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/config/connection.h"
#include "kube/http/trace.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// HTTP over libcurl: connections are reused, and shared by concurrent requests if this version of
/// libcurl does that reliably. A separate thread handles network, TLS and gzip, while the callers'
/// threads decode.
/// libcurl is initialised by the first request.
class CurlTransport final : public Transport {
 public:
  /// `trace` may be empty; it is called by one thread at a time.
  CurlTransport(const Connection& connection, std::string user_agent, Trace trace = {},
                TransportLimits limits = {});
  /// REQUIRES: no get is running.
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  [[nodiscard]] std::optional<TransportFailure> get(const HttpRequest& request,
                                                    const Receiver& receiver) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::kube
