// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dsdoctor::kube {

/// Blocks SIGPIPE for this thread while it writes to sockets: OpenSSL has no MSG_NOSIGNAL, and a
/// server that disappears must not end us, while a closed stdout should. Does nothing on systems
/// without that signal. Allocates nothing, so it cannot fail for lack of memory.
class SigpipeGuard {
 public:
  SigpipeGuard() noexcept;
  ~SigpipeGuard();
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  [[maybe_unused]] bool was_blocked_ = true;
};

}  // namespace dsdoctor::kube
