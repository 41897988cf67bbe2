#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/handle.h"

namespace dsdoctor::testing {

using TlsContext = base::Handle<SSL_CTX, SSL_CTX_free>;

struct ServerOptions;
/// For the server's side, from the TLS part of the options.
[[nodiscard]] TlsContext make_context(const ServerOptions& options);

/// The server's side of one connection, in clear or over TLS. Does not own the socket.
class Stream {
 public:
  /// `context` null: in clear. Does the TLS handshake.
  Stream(int socket, SSL_CTX* context);

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] int socket() const { return socket_; }
  /// Bytes that are here already, though the socket has none to read.
  [[nodiscard]] bool pending() const { return session_ && SSL_pending(session_.get()) > 0; }
  /// Lets the other side read our alert: closing over unread bytes would reset the connection.
  void linger() const;
  /// 0: the end.
  std::size_t read(char* data, std::size_t size);
  /// False: nobody takes it any more.
  bool write(std::string_view text);
  /// A proper end of TLS: what a server that closes on purpose does.
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
