#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {

SigpipeGuard::SigpipeGuard() noexcept = default;
SigpipeGuard::~SigpipeGuard() = default;

}  // namespace dsdoctor::kube
