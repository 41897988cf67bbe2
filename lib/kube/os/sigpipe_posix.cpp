// SPDX-License-Identifier: Apache-2.0
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is only there

#include <ctime>

#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {
namespace {

sigset_t only_sigpipe() noexcept {
  sigset_t result{};
  sigemptyset(&result);
  sigaddset(&result, SIGPIPE);
  return result;
}

/// Discards a SIGPIPE that arrived meanwhile, so that it is not delivered later.
void take_pending(const sigset_t& pipe) noexcept {
#ifdef __APPLE__  // has no sigtimedwait
  sigset_t pending{};
  while (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1) {
    int signal = 0;
    if (sigwait(&pipe, &signal) != 0) break;
  }
#else
  const timespec at_once{0, 0};
  while (::sigtimedwait(&pipe, nullptr, &at_once) == SIGPIPE) {
  }
#endif
}

}  // namespace

SigpipeGuard::SigpipeGuard() noexcept {
  const sigset_t pipe = only_sigpipe();
  sigset_t before{};
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  was_blocked_ = sigismember(&before, SIGPIPE) == 1;
}

SigpipeGuard::~SigpipeGuard() {
  if (was_blocked_) return;
  const sigset_t pipe = only_sigpipe();
  take_pending(pipe);
  ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
}

}  // namespace dsdoctor::kube
