#pragma once

#include <chrono>
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

/// One GET. `target` is path and query: `/api/v1/nodes?limit=500`.
struct HttpRequest {
  std::string target;
  std::vector<Header> headers = {};
  /// PEM; empty: no client certificate.
  std::string client_cert_pem = {};
  std::string client_key_pem = {};
  std::chrono::milliseconds time_limit{0};  // from start to last byte; 0: none
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers = {};  // as received, repeats included

  /// The first one of that name, in any case; null if absent. Valid as long as the head is.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// `application/json` without parameters, lower case; empty where absent.
  [[nodiscard]] std::string media_type() const;
};

/// Takes one answer, on the thread that called get: the head once, then the body in pieces.
/// False stops the transfer.
struct Receiver {
  std::function<bool(const ResponseHead&)> head;
  std::function<bool(std::string_view)> body;
};

/// Why no complete answer came, coarse enough to decide on a repetition.
enum class TransportFault {
  Refused,  // nobody listens
  Setup,    // DNS, TLS, proxy, certificate: another try gives the same
  TimedOut,
  Lost,      // the connection went away before the head
  CutBody,   // the connection went away, or the encoding broke, within the body
  TooLarge,  // the body passed the cap
  Stopped,   // the receiver said so
};

struct TransportFailure {
  TransportFault fault = TransportFault::Setup;
  base::Error error;  // in kubectl's words; holds no secret
};

/// The seam to the network.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Blocks until the answer is complete or failed; null: complete, whatever its status.
  /// Follows no redirect. May be called from several threads at a time.
  [[nodiscard]] virtual std::optional<TransportFailure> get(const HttpRequest& request,
                                                            const Receiver& receiver) = 0;
};

/// One finished request, for -v=6. Holds no header, hence no secret.
struct TraceEvent {
  std::string method;
  std::string url;
  int status = 0;           // 0: no answer
  std::uint64_t bytes = 0;  // of the body, decoded
  std::chrono::milliseconds duration{0};
  std::string failure;  // empty: none
};
using Trace = std::function<void(const TraceEvent&)>;

}  // namespace dsdoctor::kube
