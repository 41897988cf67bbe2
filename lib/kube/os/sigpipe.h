#pragma once

#include <memory>

namespace dsdoctor::kube {

/// Keeps SIGPIPE from this thread while it writes to sockets: OpenSSL has no MSG_NOSIGNAL, and a
/// server that is removed must not end us, while a closed stdout should. Does nothing where there
/// is no such signal.
class SigpipeGuard {
 public:
  SigpipeGuard();
  ~SigpipeGuard();
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  struct Masks;
  std::unique_ptr<Masks> masks_;
};

}  // namespace dsdoctor::kube
