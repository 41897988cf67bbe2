// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/config/config_flags.h"
#include "kube/config/kubeconfig.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// The selected context, cluster and user, with the flags applied.
struct EffectiveConfig {
  std::string context_name;
  std::string cluster_name;
  std::string user_name;
  ContextEntry context;
  ClusterEntry cluster;  // server is never empty
  UserEntry user;
  bool server_is_default = false;
  bool ca_is_flag = false;
  std::vector<std::string> notes;
  std::string anonymous_because;  // as in Connection
  std::vector<std::string> warnings;
};

/// Errors: NotFound for a context, cluster or user that is named but not defined.
[[nodiscard]] base::Result<EffectiveConfig> apply_flags(const Kubeconfig& config,
                                                        const ConfigFlags& flags,
                                                        const Environment& environment);

/// Returns all problems of the selected entries, one sentence each; empty if they are valid.
[[nodiscard]] std::vector<std::string> problems_of(const EffectiveConfig& config);

}  // namespace dsdoctor::kube
