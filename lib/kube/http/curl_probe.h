#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/curl_transport.h"

namespace dsdoctor::kube {

/// What the server's own certificate says, for an error message.
struct CertificateFacts {
  std::string not_before;  // as OpenSSL prints it: "Nov 21 02:39:09 2026 GMT"
  std::string not_after;
  std::vector<std::string> names;  // DNS names and addresses of subjectAltName
  std::string issuer;
};

/// Asks the server for its certificate, without verifying it and without any credential; no HTTP
/// request is sent. Null when that fails too. Takes 5 seconds at most.
[[nodiscard]] std::optional<CertificateFacts> probe_certificate(const Connection& connection);

}  // namespace dsdoctor::kube
