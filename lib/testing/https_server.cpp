#include "testing/https_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
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
#include "testing/tls_stream.h"

namespace dsdoctor::testing {
std::string ServedRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

struct HttpsServer::State {
  ServerOptions options;
  Handler handler;
  TlsContext context;
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
    request.alpn = stream.offered();
    {
      const std::lock_guard lock(mutex);
      log.push_back(request);
    }
    const Reply reply = handler(request);
    return send(stream, request, reply);
  }

  void stall() const {
    for (int i = 0; i < 2000 && !stopping; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  bool send(Stream& stream, const ServedRequest& request, const Reply& reply) {
    if (reply.fault == Fault::CloseBeforeHead) return false;
    if (reply.fault == Fault::StallBeforeHead) stall();
    const bool accepts = request.header("accept-encoding").find("gzip") != std::string::npos;
    stream.write(to_http(reply, options.gzip && accepts));
    if (reply.fault == Fault::StallWithinBody) stall();
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
