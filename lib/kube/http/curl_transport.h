#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kube/config/connection.h"
#include "kube/http/trace.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// Limits of a transport; the defaults are kubectl's where it has one.
struct TransportLimits {
  std::chrono::milliseconds connect{30'000};    // DNS, TCP, proxy and TLS together
  std::chrono::milliseconds handshake{10'000};  // TLS alone
  /// No byte for so long ends a transfer that has begun to arrive. Longer than the 60 s after which
  /// a server gives up.
  std::chrono::milliseconds stall{75'000};
  /// The same before the first byte: large lists and proxies with a queue take longer.
  std::chrono::milliseconds first_byte{300'000};
  /// Bytes of all headers of an answer. Newer libcurls have a limit of their own at 300 KB.
  std::uint64_t head = std::uint64_t{256} << 10U;
  std::uint64_t body = std::uint64_t{4} << 30U;  // bytes, decoded
  std::size_t traced_body = 0;                   // bytes of a body that a TraceEvent holds
};

/// HTTP over libcurl: connections are reused, and shared by concurrent requests if this version of
/// libcurl does that reliably. A thread of its own does the network, TLS and gzip, while the
/// callers' threads decode.
/// libcurl is initialised by the first request, not before.
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
