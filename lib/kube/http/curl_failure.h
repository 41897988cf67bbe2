#pragma once

#include <curl/curl.h>

#include <string>

#include "kube/config/connection.h"
#include "kube/http/transport.h"
#include "kube/os/clock.h"

namespace dsdoctor::kube {

/// Why we ended a transfer ourselves.
enum class GivenUp {
  No,
  Handshake,  // TLS took too long
  Stall,      // nothing more arrived
};

/// What libcurl knows about a transfer that failed.
struct CurlOutcome {
  GivenUp given_up = GivenUp::No;
  CURLcode code = CURLE_OK;
  std::string text;  // of CURLOPT_ERRORBUFFER; may be empty
  long os_error = 0;
  long verify_result = 0;  // X509_V_ERR_* of OpenSSL
  bool head_received = false;
  bool tls_started = false;    // hence TCP was connected
  bool tls_connected = false;  // with the server, not with a proxy
};

/// The failure in kubectl's words, with details that libcurl omits: the host, the limit, names and
/// dates of the server's certificate. May connect to the server once more for its certificate,
/// without any credential. REQUIRES: outcome.code != CURLE_OK.
[[nodiscard]] TransportFailure to_failure(const CurlOutcome& outcome, const Connection& connection,
                                          const HttpRequest& request, const TransportLimits& limits,
                                          base::Time now);

}  // namespace dsdoctor::kube
