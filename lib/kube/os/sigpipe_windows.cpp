#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {

struct SigpipeGuard::Masks {};

SigpipeGuard::SigpipeGuard() = default;
SigpipeGuard::~SigpipeGuard() = default;

}  // namespace dsdoctor::kube
