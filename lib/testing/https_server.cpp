#include "testing/https_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "testing/http_text.h"

namespace dsdoctor::testing {
namespace {

template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Free<SSL_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;

Bio reading(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate certificate_of(const std::string& pem) {
  return Certificate(PEM_read_bio_X509(reading(pem).get(), nullptr, nullptr, nullptr));
}

Context make_context(const ServerOptions& options) {
  Context context(SSL_CTX_new(TLS_server_method()));
  // the lowest level, so that a test can offer old versions
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
  if (!options.client_ca.empty()) {
    const Certificate ca = certificate_of(options.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get());
    const int force = options.require_client ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | force, nullptr);
  }
  return context;
}

/// One connection, in clear or over TLS.
class Stream {
 public:
  Stream(int socket, SSL_CTX* context) : socket_(socket) {
    if (context == nullptr) return;
    session_.reset(SSL_new(context));
    SSL_set_fd(session_.get(), socket);
    open_ = SSL_accept(session_.get()) == 1;
    ERR_clear_error();
  }
  [[nodiscard]] bool open() const { return open_; }
  /// Lets the other side read our alert: closing over unread bytes would reset the connection.
  void linger() const {
    ::shutdown(socket_, SHUT_WR);
    std::array<char, 1024> rest{};
    while (::recv(socket_, rest.data(), rest.size(), 0) > 0) {
    }
  }

  /// 0: the end.
  std::size_t read(char* data, std::size_t size) {
    const auto got = session_ ? SSL_read(session_.get(), data, static_cast<int>(size))
                              : static_cast<int>(::recv(socket_, data, size, 0));
    ERR_clear_error();
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const auto size = std::min<std::size_t>(text.size(), 16384);
      const auto put = session_
                           ? SSL_write(session_.get(), text.data(), static_cast<int>(size))
                           : static_cast<int>(::send(socket_, text.data(), size, MSG_NOSIGNAL));
      if (put <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    ERR_clear_error();
  }
  /// A proper end of TLS: what a server that closes on purpose does.
  void close() {
    if (session_ && open_) SSL_shutdown(session_.get());
    ERR_clear_error();
  }
  [[nodiscard]] std::string client_name() const {
    const Certificate peer(session_ ? SSL_get1_peer_certificate(session_.get()) : nullptr);
    if (!peer) return {};
    std::array<char, 256> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName, name.data(),
                              static_cast<int>(name.size()));
    return name.data();
  }
  [[nodiscard]] std::string sni() const {
    const char* name =
        session_ ? SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
    return name == nullptr ? "" : name;
  }

 private:
  int socket_;
  Session session_;
  bool open_ = true;
};

}  // namespace

std::string ServedRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

struct HttpsServer::State {
  ServerOptions options;
  Handler handler;
  Context context;
  int listener = -1;
  int port = 0;
  std::atomic<bool> stopping = false;
  std::atomic<int> connections = 0;
  mutable std::mutex mutex;
  std::vector<ServedRequest> log;    // guarded by mutex
  std::set<int> open;                // guarded by mutex
  std::vector<std::thread> workers;  // guarded by mutex
  std::thread acceptor;

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0 || stopping) {
        if (socket >= 0) ::close(socket);
        return;
      }
      ++connections;
      const int on = 1;  // as Go's servers do; else every answer of several writes takes 40 ms
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      const std::lock_guard lock(mutex);
      open.insert(socket);
      workers.emplace_back([this, socket] { serve(socket); });
    }
  }

  void serve(int socket) {
    // OpenSSL has no MSG_NOSIGNAL, and clients here do go away
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    {
      Stream stream(socket, context.get());
      std::string buffer;
      if (!stream.open()) stream.linger();
      while (stream.open() && answer_one(stream, buffer)) {
      }
    }
    const std::lock_guard lock(mutex);
    open.erase(socket);
    ::close(socket);
  }

  /// False: the connection is over.
  bool answer_one(Stream& stream, std::string& buffer) {
    std::array<char, 4096> chunk{};
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      const std::size_t got = stream.read(chunk.data(), chunk.size());
      if (got == 0) return false;
      buffer.append(chunk.data(), got);
      if (buffer.front() == '\x16') {  // a TLS greeting in clear text
        stream.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        return false;
      }
    }
    ServedRequest request = parse_request(std::string_view(buffer).substr(0, end));
    buffer.erase(0, end + 4);
    request.client_name = stream.client_name();
    request.sni = stream.sni();
    {
      const std::lock_guard lock(mutex);
      log.push_back(request);
    }
    const Reply reply = handler(request);
    return send(stream, request, reply);
  }

  bool send(Stream& stream, const ServedRequest& request, const Reply& reply) {
    if (reply.fault == Fault::CloseBeforeHead) return false;
    for (int i = 0; reply.fault == Fault::StallBeforeHead && i < 500 && !stopping; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const bool accepts = request.header("accept-encoding").find("gzip") != std::string::npos;
    stream.write(to_http(reply, options.gzip && accepts));
    if (reply.fault == Fault::None && !reply.close_delimited) return true;
    stream.close();
    return false;
  }
};

HttpsServer::HttpsServer(ServerOptions options, Handler handler) : state_(new State) {
  state_->options = std::move(options);
  state_->handler = std::move(handler);
  if (state_->options.tls) state_->context = make_context(state_->options);
  state_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): POSIX
  if (::bind(state_->listener, generic, size) != 0 || ::listen(state_->listener, 64) != 0 ||
      ::getsockname(state_->listener, generic, &size) != 0) {
    throw std::runtime_error("the test server cannot listen");
  }
  state_->port = ntohs(address.sin_port);
  state_->acceptor = std::thread([state = state_.get()] { state->accept_all(); });
}

HttpsServer::~HttpsServer() {
  state_->stopping = true;
  ::shutdown(state_->listener, SHUT_RDWR);
  state_->acceptor.join();
  {
    const std::lock_guard lock(state_->mutex);
    for (const int socket : state_->open) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& worker : state_->workers) worker.join();
  ::close(state_->listener);
}

int HttpsServer::port() const { return state_->port; }

std::string HttpsServer::url() const {
  return (state_->options.tls ? "https" : "http") + std::string("://127.0.0.1:") +
         std::to_string(port());
}

std::vector<ServedRequest> HttpsServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->log;
}

int HttpsServer::connections() const { return state_->connections; }

}  // namespace dsdoctor::testing
