// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/config/connection.h"

/// Connects to the server once more after a failure, to find details that libcurl does not report.
/// Does not verify the certificate, sends no credential and no HTTP request. Each call takes at
/// most 5 seconds.
namespace dsdoctor::kube {

/// Fields of the server's certificate, for an error message.
struct CertificateFacts {
  std::string not_before;  // as OpenSSL prints it: "Nov 21 02:39:09 2026 GMT"
  std::string not_after;
  std::vector<std::string> names;  // DNS names and addresses of subjectAltName
  std::string issuer;
};

/// Null if this connection fails as well.
[[nodiscard]] std::optional<CertificateFacts> probe_certificate(const Connection& connection);

/// Reports whether the server seems to answer the TLS handshake in plain HTTP.
[[nodiscard]] bool answers_in_plain_http(const Connection& connection);

}  // namespace dsdoctor::kube
