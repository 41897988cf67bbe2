// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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
  /// If set, HTTP/2 is selected, the bytes that it returns follow the client's first frames, and
  /// the connection ends: frames of any kind. Called from several threads.
  std::function<std::string()> frames = nullptr;
};

}  // namespace dsdoctor::testing
