// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// The times from the start of a request at which its steps were done; 0: the step was skipped, as
/// with a reused connection.
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
  std::string failure;  // empty: no failure
  std::vector<Header> request_headers = {};
  std::vector<Header> response_headers = {};
  std::string body = {};  // the first bytes, see traced_bytes
  TraceTimes times = {};
};
using Trace = std::function<void(const TraceEvent&)>;

/// How many bytes of a body `trace_text` needs at that verbosity.
[[nodiscard]] std::size_t traced_bytes(int verbosity);

/// Returns the lines that kubectl shows at that -v: from 6 the request, 7 its headers, 8 the
/// answer's headers and the first kilobyte of its body (a hex dump if it is binary), 9 a curl
/// command, the time of each step and ten kilobytes, 10 the complete body. Empty below 6. Control
/// characters are escaped.
/// Source of truth: k8s.io/client-go v0.36, transport/round_trippers.go and rest/request.go.
[[nodiscard]] std::string trace_text(const TraceEvent& event, int verbosity);

}  // namespace dsdoctor::kube
