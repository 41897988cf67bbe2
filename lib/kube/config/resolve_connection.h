// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/config/config_flags.h"
#include "kube/config/connection.h"
#include "kube/config/kubeconfig.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// Applies flags over kubeconfig over defaults and validates the result; in a pod without
/// kubeconfig, uses the service account. Sends nothing. Errors: NotFound (context, cluster, user,
/// file), Malformed (all problems of the configuration together), Unreadable, Usage (a flag's
/// value). No error repeats a token, password or key.
/// Source of truth: k8s.io/client-go v0.36, tools/clientcmd (client_config.go, validation.go).
[[nodiscard]] base::Result<Connection> resolve_connection(const ConfigFlags& flags,
                                                          const Environment& environment);
/// The same with a kubeconfig that is read already.
[[nodiscard]] base::Result<Connection> resolve_connection(const Kubeconfig& kubeconfig,
                                                          const ConfigFlags& flags,
                                                          const Environment& environment);

}  // namespace dsdoctor::kube
