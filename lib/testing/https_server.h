// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testing/http_text.h"
#include "testing/server_options.h"

namespace dsdoctor::testing {

/// Called from several threads.
using Handler = std::function<Reply(const ServedRequest&)>;

/// An HTTP/1.1 server over TLS on a free port of 127.0.0.1, with a thread per connection. Stops
/// when the object is destroyed.
class HttpsServer {
 public:
  HttpsServer(ServerOptions options, Handler handler);
  ~HttpsServer();
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;

  [[nodiscard]] int port() const;
  /// "https://127.0.0.1:PORT"
  [[nodiscard]] std::string url() const;
  /// All requests so far, in the order of arrival.
  [[nodiscard]] std::vector<ServedRequest> requests() const;
  [[nodiscard]] int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::testing
