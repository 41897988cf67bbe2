#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testing/certificates.h"
#include "testing/http_text.h"

namespace dsdoctor::testing {

/// Called from several threads.
using Handler = std::function<Reply(const ServedRequest&)>;

struct ServerOptions {
  bool tls = true;
  KeyPair identity = {};
  std::string client_ca = {};   // PEM; empty: no client certificate is asked for
  bool require_client = false;  // else a request without one is served as anonymous
  int max_tls_version = 0;      // TLS1_1_VERSION, ...; 0: the newest
  bool gzip = false;            // compresses when the client accepts it
};

/// HTTP/1.1 over TLS on 127.0.0.1, any free port, with a thread a connection. Ends with the object.
class HttpsServer {
 public:
  HttpsServer(ServerOptions options, Handler handler);
  ~HttpsServer();
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;

  [[nodiscard]] int port() const;
  /// "https://127.0.0.1:PORT"
  [[nodiscard]] std::string url() const;
  /// All requests so far, in the order in which they came.
  [[nodiscard]] std::vector<ServedRequest> requests() const;
  [[nodiscard]] int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::testing
