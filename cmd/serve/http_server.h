// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "line/options.h"

/// A small HTTP server: GET and HEAD, without TLS, on a thread of its own.
namespace dsdoctor::cmd {

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = {};  // null: empty
};

/// Sends the reply, once, from any thread. A second call does nothing. Without a call, the
/// connection ends once all copies are gone. REQUIRES: none outlives the server.
using SendReply = std::function<void(HttpReply)>;

/// Bounds, so that no client can hold what others need: connections at a time, of which more are
/// refused; the bytes of a request's header; the time for a request, and for a reply to be read.
struct HttpLimits {
  std::size_t connections = 64;
  std::size_t header_bytes = 8192;
  int request_seconds = 10;
  int reply_seconds = 30;
  int idle_seconds = 120;  // between two requests of a connection
};

class HttpServer {
 public:
  /// Called on the server's thread with the path of a request, without its query. Must not block;
  /// `send` may be called later.
  using Handler = std::function<void(const std::string& path, const SendReply& send)>;

  /// Listens and serves. A server on a loopback address answers only requests for `localhost` or a
  /// loopback address (Host), so that no page of a browser can read it by its own name.
  /// Errors: Unavailable, e.g. if the port is in use.
  [[nodiscard]] static base::Result<std::unique_ptr<HttpServer>> listen(const ListenAddress& at,
                                                                        Handler handler,
                                                                        HttpLimits limits = {});
  virtual ~HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "127.0.0.1:8080"
  [[nodiscard]] virtual std::string address() const = 0;

 protected:
  HttpServer() = default;
};

}  // namespace dsdoctor::cmd
