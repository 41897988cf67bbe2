#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/config/connection.h"

/// Connects to the server once more after a failure, for what libcurl does not tell of it: without
/// verifying its certificate and without any credential; no HTTP request is sent. Each takes 5
/// seconds at most.
namespace dsdoctor::kube {

/// What the server's own certificate says, for an error message.
struct CertificateFacts {
  std::string not_before;  // as OpenSSL prints it: "Nov 21 02:39:09 2026 GMT"
  std::string not_after;
  std::vector<std::string> names;  // DNS names and addresses of subjectAltName
  std::string issuer;
};

/// Null where there is no such connection either.
[[nodiscard]] std::optional<CertificateFacts> probe_certificate(const Connection& connection);

/// The server answers our TLS handshake in plain HTTP, as far as can be told.
[[nodiscard]] bool answers_in_plain_http(const Connection& connection);

}  // namespace dsdoctor::kube
