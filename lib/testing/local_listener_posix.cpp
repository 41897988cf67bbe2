// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "testing/local_listener.h"

namespace dsdoctor::testing {

#ifdef SOCK_CLOEXEC
int make_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static int accept_from(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); }
#else  // a program that another thread starts between the two calls inherits it
static int keep_from_programs(int socket) {
  if (socket >= 0) ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return socket;
}

int make_socket() { return keep_from_programs(::socket(AF_INET, SOCK_STREAM, 0)); }

static int accept_from(int listener) {
  return keep_from_programs(::accept(listener, nullptr, nullptr));
}
#endif

LocalListener::LocalListener() : listener_(make_socket()) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): POSIX
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("the test server cannot listen");
  }
  port_ = ntohs(address.sin_port);
}

void LocalListener::start(std::function<void(int)> serve) {
  serve_ = std::move(serve);
  acceptor_ = std::thread([this] { accept_all(); });
}

LocalListener::~LocalListener() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& worker : workers_) worker.join();
  ::close(listener_);
}

void LocalListener::watch(int socket) {
  const std::lock_guard lock(mutex_);
  open_.insert(socket);
}

void LocalListener::close(int socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
  ::close(socket);
}

void LocalListener::accept_all() {
  for (;;) {
    const int socket = accept_from(listener_);
    if (socket < 0 || stopping_) {
      if (socket >= 0) ::close(socket);
      return;
    }
    ++connections_;
    const int on = 1;  // as Go's servers do; else every answer with several writes takes 40 ms
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::lock_guard lock(mutex_);
    open_.insert(socket);
    workers_.emplace_back([this, socket] { serve(socket); });
  }
}

void LocalListener::serve(int socket) {
  // OpenSSL and macOS have no MSG_NOSIGNAL, and clients here do close their connections
  sigset_t pipe;
  sigemptyset(&pipe);  // macros on macOS
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  serve_(socket);
  close(socket);
}

}  // namespace dsdoctor::testing
