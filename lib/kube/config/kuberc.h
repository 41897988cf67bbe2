#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/os/environment.h"
#include "kube/os/process.h"

namespace dsdoctor::kube {

/// Which login commands the user or an administrator lets run: `credentialPluginPolicy` and
/// `credentialPluginAllowlist` of kuberc, as written.
struct PluginPolicy {
  std::string type;  // "AllowAll", "DenyAll", "Allowlist"; empty: AllowAll
  std::optional<std::vector<std::string>> allowlist;
};

/// What makes the policy unusable, in one sentence; empty: nothing.
[[nodiscard]] std::string problem_of(const PluginPolicy& policy);

/// The file to execute for `command`, looked up in `path` (see find_executable) where it is a bare
/// word. Errors: Forbidden when the policy does not let it run; NotFound.
/// Source of truth: k8s.io/client-go v0.36, plugin/pkg/client/auth/exec/exec.go
/// (updateCommandAndCheckAllowlistLocked).
[[nodiscard]] base::Result<std::string> permitted_executable(const PluginPolicy& policy,
                                                             const std::string& command,
                                                             const CommandPath& path);

/// The parts of kubectl's preferences that bind a plugin too. `defaults` and `aliases` concern
/// kubectl's own commands and are not read.
struct Kuberc {
  PluginPolicy policy;
  std::string file;                   // that was read; empty: none
  std::vector<std::string> warnings;  // the default file cannot be used
};

/// Reads `explicit_path` (--kuberc), else $KUBERC, else $HOME/.kube/kuberc. `KUBERC=off` and
/// `KUBECTL_KUBERC=false` mean none. The default file may be missing, and when it cannot be used
/// that is a warning only, as in kubectl; one that was asked for must be there and be valid.
/// Whether the policy is consistent is for problem_of to say.
/// Errors: NotFound, Unreadable, Malformed, Usage.
/// Source of truth: k8s.io/kubectl v0.36, pkg/kuberc (DefaultGetPreferences).
[[nodiscard]] base::Result<Kuberc> load_kuberc(const std::string& explicit_path,
                                               const Environment& environment);

}  // namespace dsdoctor::kube
