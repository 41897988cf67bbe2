// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/handle.h"

namespace dsdoctor::testing {

using TlsContext = base::Handle<SSL_CTX, SSL_CTX_free>;

struct ServerOptions;
/// The context of a server, by the TLS options.
[[nodiscard]] TlsContext make_context(const ServerOptions& options);

/// The server's side of one connection, plain or over TLS. Does not own the socket.
class Stream {
 public:
  /// `context` null: plain. Else does the TLS handshake.
  Stream(int socket, SSL_CTX* context);

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] int socket() const { return socket_; }
  /// Whether bytes are buffered, although the socket has none to read.
  [[nodiscard]] bool pending() const { return session_ && SSL_pending(session_.get()) > 0; }
  /// Waits until the client has read our alert: closing with unread bytes would reset the
  /// connection.
  void linger() const;
  /// Returns the number of bytes; 0: the end.
  std::size_t read(char* data, std::size_t size);
  /// Returns false if the client has closed the connection.
  bool write(std::string_view text);
  /// Ends TLS properly, like a server that closes on purpose.
  void close();
  /// CN of the verified client certificate; empty: none.
  [[nodiscard]] std::string client_name() const;
  [[nodiscard]] std::string sni() const;
  /// The protocols that the client offered (ALPN): "h2,http/1.1".
  [[nodiscard]] const std::string& offered() const { return offered_; }

 private:
  int socket_;
  std::string offered_;
  base::Handle<SSL, SSL_free> session_;
  bool open_ = true;
};

}  // namespace dsdoctor::testing
