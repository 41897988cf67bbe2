// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testing/certificates.h"

namespace dsdoctor::testing {

/// Options of an HttpsServer.
struct ServerOptions {
  bool tls = true;
  KeyPair identity = {};
  std::string client_ca = {};   // PEM; empty: no client certificate is requested
  bool require_client = false;  // else a request without one is served as anonymous
  int max_tls_version = 0;      // TLS1_1_VERSION, ...; 0: the newest
  bool gzip = false;            // compresses the answer if the client accepts it
};

}  // namespace dsdoctor::testing
