// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/os/environment.h"
#include "kube/os/process.h"

namespace dsdoctor::kube {

/// Which login commands the user or an administrator permits: `credentialPluginPolicy` and
/// `credentialPluginAllowlist` of kuberc, as written.
struct PluginPolicy {
  std::string type;  // "AllowAll", "DenyAll", "Allowlist"; empty: AllowAll
  std::optional<std::vector<std::string>> allowlist;
};

/// Why the policy is unusable, in one sentence; empty if it is usable.
[[nodiscard]] std::string problem_of(const PluginPolicy& policy);

/// Returns the file to execute for `command`; a name without a folder is looked up in `path` (see
/// find_executable). Errors: Forbidden if the policy does not permit it; NotFound.
/// Source of truth: k8s.io/client-go v0.36, plugin/pkg/client/auth/exec/exec.go
/// (updateCommandAndCheckAllowlistLocked).
[[nodiscard]] base::Result<std::string> permitted_executable(const PluginPolicy& policy,
                                                             const std::string& command,
                                                             const CommandPath& path);

/// The parts of kubectl's preferences that apply to plugins too. `defaults` and `aliases` concern
/// kubectl's own commands and are not read.
struct Kuberc {
  PluginPolicy policy;
  std::string file;                   // the file that was read; empty: no file
  std::vector<std::string> warnings;  // if the default file is unusable
};

/// Reads `explicit_path` (--kuberc), else $KUBERC, else $HOME/.kube/kuberc. `KUBERC=off` and
/// `KUBECTL_KUBERC=false` disable it. The default file may be missing, and an unusable one causes
/// only a warning, as in kubectl; an explicitly named file must exist and be valid. Does not check
/// whether the policy is consistent (see problem_of).
/// Errors: NotFound, Unreadable, Malformed, Usage.
/// Source of truth: k8s.io/kubectl v0.36, pkg/kuberc (DefaultGetPreferences).
[[nodiscard]] base::Result<Kuberc> load_kuberc(const std::string& explicit_path,
                                               const Environment& environment);

}  // namespace dsdoctor::kube
