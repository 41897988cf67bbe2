#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is only there

#include <ctime>

#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {

struct SigpipeGuard::Masks {
  sigset_t pipe{};
  sigset_t before{};

  /// What was sent meanwhile is not to arrive later.
  void take_pending() const {
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
};

SigpipeGuard::SigpipeGuard() : masks_(std::make_unique<Masks>()) {
  sigemptyset(&masks_->pipe);
  sigaddset(&masks_->pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &masks_->pipe, &masks_->before);
}

SigpipeGuard::~SigpipeGuard() {
  if (sigismember(&masks_->before, SIGPIPE) == 1) return;
  masks_->take_pending();
  ::pthread_sigmask(SIG_SETMASK, &masks_->before, nullptr);
}

}  // namespace dsdoctor::kube
