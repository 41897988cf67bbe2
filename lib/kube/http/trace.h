#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// When the steps of a request were done, from its start; 0: there was no such step, as with a
/// connection that is used again.
struct TraceTimes {
  std::chrono::microseconds lookup{0};
  std::chrono::microseconds connect{0};
  std::chrono::microseconds tls{0};
  std::chrono::microseconds first_byte{0};
};

/// One finished request, for -v=6 and above. Its secrets are masked already.
struct TraceEvent {
  std::string method;
  std::string url;
  int status = 0;           // 0: no answer
  std::uint64_t bytes = 0;  // of the body, decoded
  std::chrono::milliseconds duration{0};
  std::string failure;  // empty: none
  std::vector<Header> request_headers = {};
  std::vector<Header> response_headers = {};
  std::string body = {};  // its first bytes, see traced_bytes
  TraceTimes times = {};
};
using Trace = std::function<void(const TraceEvent&)>;

/// How much of a body an event must hold for `trace_text` at that verbosity, in bytes.
[[nodiscard]] std::size_t traced_bytes(int verbosity);

/// What kubectl shows at that -v, as lines: from 6 the request, 7 its headers, 8 the answer's
/// headers and the first kilobyte of its body (a hex dump where it is no text), 9 a curl command,
/// the time of each step and ten kilobytes, 10 all of the body. Empty below 6. Control characters
/// are made harmless.
/// Source of truth: k8s.io/client-go v0.36, transport/round_trippers.go and rest/request.go.
[[nodiscard]] std::string trace_text(const TraceEvent& event, int verbosity);

}  // namespace dsdoctor::kube
