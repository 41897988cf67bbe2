// SPDX-License-Identifier: Apache-2.0
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "testing/openssl_handles.h"
#include "testing/server_options.h"
#include "testing/tls_stream.h"

namespace dsdoctor::testing {
namespace {

Certificate certificate_of(const std::string& pem) {
  return Certificate(PEM_read_bio_X509(reading(pem).get(), nullptr, nullptr, nullptr));
}

/// Records the offered protocols. Selects HTTP/2 if `user` is set and it is offered, else none,
/// which means HTTP/1.1.
int note_offered(SSL* session, const unsigned char** out, unsigned char* out_size,
                 const unsigned char* in, unsigned size, void* user) {
  auto& text = *static_cast<std::string*>(SSL_get_app_data(session));
  for (unsigned at = 0; at < size; at += 1U + in[at]) {
    if (!text.empty()) text += ",";
    text.append(in + at + 1, in + at + 1 + in[at]);
    if (user == nullptr || !text.ends_with("h2")) continue;
    *out = in + at + 1;
    *out_size = in[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

TlsContext make_context(const ServerOptions& options) {
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  // The lowest security level, so that a test can offer old versions.
  SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  if (options.max_tls_version != 0) {
    SSL_CTX_set_max_proto_version(context.get(), options.max_tls_version);
  }
  const Certificate certificate = certificate_of(options.identity.certificate);
  const Key key(
      PEM_read_bio_PrivateKey(reading(options.identity.key).get(), nullptr, nullptr, nullptr));
  if (SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    throw std::runtime_error("the test server's certificate cannot be used");
  }
  SSL_CTX_set_alpn_select_cb(context.get(), &note_offered,
                             options.frames ? context.get() : nullptr);
  if (!options.client_ca.empty()) {
    const Certificate ca = certificate_of(options.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get());
    const int force = options.require_client ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | force, nullptr);
  }
  return context;
}

Stream::Stream(int socket, SSL_CTX* context) : socket_(socket) {
  if (context == nullptr) return;
  session_.reset(SSL_new(context));
  SSL_set_fd(session_.get(), socket);
  SSL_set_app_data(session_.get(), &offered_);
  open_ = SSL_accept(session_.get()) == 1;
  ERR_clear_error();
}

void Stream::linger() const {
  ::shutdown(socket_, SHUT_WR);
  std::array<char, 1024> rest{};
  while (::recv(socket_, rest.data(), rest.size(), 0) > 0) {
  }
}

std::size_t Stream::read(char* data, std::size_t size) {
  const auto got = session_ ? SSL_read(session_.get(), data, static_cast<int>(size))
                            : static_cast<int>(::recv(socket_, data, size, 0));
  ERR_clear_error();
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool Stream::write(std::string_view text) {
  while (!text.empty()) {
    const auto size = std::min<std::size_t>(text.size(), 16384);
    const auto put = session_ ? SSL_write(session_.get(), text.data(), static_cast<int>(size))
                              : static_cast<int>(::send(socket_, text.data(), size, 0));
    if (put <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  ERR_clear_error();
  return text.empty();
}

void Stream::close() {
  if (session_ && open_) SSL_shutdown(session_.get());
  ERR_clear_error();
}

std::string Stream::client_name() const {
  const Certificate peer(session_ ? SSL_get1_peer_certificate(session_.get()) : nullptr);
  if (!peer) return {};
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

std::string Stream::sni() const {
  const char* name =
      session_ ? SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
  return name == nullptr ? "" : name;
}

}  // namespace dsdoctor::testing
