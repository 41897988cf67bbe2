#pragma once

#include <chrono>
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

/// One GET. `target` is path and query as they are sent: `/prefix/api/v1/nodes?limit=500`.
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
  /// Asked several times a second when it is there; true ends the transfer, arriving or not.
  std::function<bool()> cancelled = {};
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

}  // namespace dsdoctor::kube
