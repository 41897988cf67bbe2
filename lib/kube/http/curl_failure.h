// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "kube/config/connection.h"
#include "kube/http/transport.h"
#include "kube/os/clock.h"

namespace dsdoctor::kube {

/// Why we aborted a transfer.
enum class GivenUp {
  No,
  Handshake,  // TLS took too long
  Stall,      // no more data arrived
};

/// The state of a failed transfer, from libcurl.
struct CurlOutcome {
  GivenUp given_up = GivenUp::No;
  CURLcode code = CURLE_OK;
  std::string text;  // from CURLOPT_ERRORBUFFER; may be empty
  long os_error = 0;
  long verify_result = 0;  // X509_V_ERR_* of OpenSSL
  bool head_received = false;
  bool tls_started = false;    // implies that TCP was connected
  bool tls_connected = false;  // with the server, not with a proxy
  bool http2 = false;
  std::optional<std::uint32_t> goaway;  // the code with which an HTTP/2 server ended the connection
};

/// Returns the failure in kubectl's words, with details that libcurl omits: the host, the limit,
/// names and dates of the server's certificate. May connect to the server once more for its
/// certificate, without any credential. REQUIRES: outcome.code != CURLE_OK.
[[nodiscard]] TransportFailure to_failure(const CurlOutcome& outcome, const Connection& connection,
                                          const HttpRequest& request, const TransportLimits& limits,
                                          base::Time now);

}  // namespace dsdoctor::kube
