// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kube/config/connection.h"
#include "kube/config/effective_config.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// Returns one sentence each for -v=4: which files, context and server, in-cluster or not, which
/// proxy, which kind of credential; never a secret. `connection` is complete.
[[nodiscard]] std::vector<std::string> decisions_of(const Connection& connection,
                                                    const EffectiveConfig& config,
                                                    const std::vector<std::string>& files,
                                                    const Environment& environment);

}  // namespace dsdoctor::kube
