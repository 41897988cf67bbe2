#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is only there

#include <ctime>

namespace dsdoctor::kube {

/// Keeps SIGPIPE from this thread while it writes to sockets: OpenSSL has no MSG_NOSIGNAL, and a
/// server that goes away must not end us, while a closed stdout should.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeGuard() {
    if (::sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace dsdoctor::kube
