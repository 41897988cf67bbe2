// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dsdoctor::kube {

struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

/// One GET. `target` is path and query as sent: `/prefix/api/v1/nodes?limit=500`.
struct HttpRequest {
  std::string target;
  std::vector<Header> headers = {};
  /// PEM; empty: no client certificate.
  std::string client_cert_pem = {};
  std::string client_key_pem = {};
  std::chrono::milliseconds time_limit{0};  // from start to last byte; 0: unlimited
  std::chrono::milliseconds stall{0};       // as in TransportLimits, for this request; 0: the same
  /// The body may begin long after the head, which is passed on without waiting for it.
  bool is_watch = false;
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers = {};  // as received, repeats included

  /// Returns the first header with that name, ignoring case; null if absent. Valid as long as the
  /// head.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// `application/json` without parameters, lower case; empty if absent.
  [[nodiscard]] std::string media_type() const;
};

/// Takes one answer, on the thread that called get: the head once, then the body in pieces.
/// False stops the transfer.
struct Receiver {
  std::function<bool(const ResponseHead&)> head;
  std::function<bool(std::string_view)> body;
  /// Polled several times a second if set; true ends the transfer, even if nothing arrives.
  std::function<bool()> cancelled = {};
};

/// Why no complete answer arrived, in enough detail to decide on a retry.
enum class TransportFault {
  Refused,  // nothing listens on the port
  Setup,    // DNS, TLS, proxy, certificate: a retry would fail again
  TimedOut,
  Lost,      // the connection was lost before the head
  Ended,     // HTTP/2: the server ended the request before the head
  CutBody,   // the connection was lost, or the encoding broke, within the body
  TooLarge,  // the body exceeds the limit
  Stopped,   // the receiver stopped it
};

struct TransportFailure {
  TransportFault fault = TransportFault::Setup;
  base::Error error;  // in kubectl's words; contains no secret
};

/// Limits of a transport; the defaults are kubectl's where kubectl has one.
struct TransportLimits {
  std::chrono::milliseconds connect{30'000};    // DNS, TCP, proxy and TLS together
  std::chrono::milliseconds handshake{10'000};  // only TLS
  /// Time without a byte after which a running transfer ends. Longer than the 60 s after which a
  /// server gives up.
  std::chrono::milliseconds stall{75'000};
  /// The same before the first byte: a large list or a proxy's queue may take minutes.
  std::chrono::milliseconds first_byte{300'000};
  /// Bytes of all headers of an answer. Newer libcurls have their own limit of 300 KB.
  std::uint64_t head = std::uint64_t{256} << 10U;
  std::uint64_t body = std::uint64_t{4} << 30U;  // bytes, decoded
  std::size_t traced_body = 0;                   // bytes of a body that a TraceEvent holds
};

/// The interface to the network.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Blocks until the answer is complete or has failed; null: complete, with any status. Does not
  /// follow redirects. May be called from several threads at a time.
  [[nodiscard]] virtual std::optional<TransportFailure> get(const HttpRequest& request,
                                                            const Receiver& receiver) = 0;
};

}  // namespace dsdoctor::kube
