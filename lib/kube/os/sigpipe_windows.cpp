// SPDX-License-Identifier: Apache-2.0
#include "kube/os/sigpipe.h"

namespace dsdoctor::kube {

SigpipeGuard::SigpipeGuard() noexcept = default;
SigpipeGuard::~SigpipeGuard() = default;

}  // namespace dsdoctor::kube
