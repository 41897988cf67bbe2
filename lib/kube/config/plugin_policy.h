#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

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
                                                             const std::string& path);

}  // namespace dsdoctor::kube
