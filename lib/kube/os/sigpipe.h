#pragma once

namespace dsdoctor::kube {

/// Keeps SIGPIPE from this thread while it writes to sockets: OpenSSL has no MSG_NOSIGNAL, and a
/// server that is removed must not end us, while a closed stdout should. Does nothing where there
/// is no such signal. Takes no memory: a thread that could not begin for lack of it would end us.
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
