#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/config/config_flags.h"
#include "kube/config/kubeconfig.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// The one context, cluster and user that are in force, with the flags laid over them.
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

/// Everything that is wrong with the entries in force, one sentence each; empty: all is well.
[[nodiscard]] std::vector<std::string> problems_of(const EffectiveConfig& config);

}  // namespace dsdoctor::kube
