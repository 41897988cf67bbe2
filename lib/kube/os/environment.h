// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// The process's start conditions as a value, so that no code here reads the environment itself and
/// tests can choose it.
struct Environment {
  std::map<std::string, std::string, std::less<>> variables;
  /// Absolute. Relative names in flags and in KUBECONFIG refer to it.
  std::string working_directory;
  /// True only if a login command may use stdin: it is a terminal, and we do not read it (`-f -`).
  bool stdin_is_terminal = false;
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  /// Empty if unset: no variable that we read distinguishes the two.
  [[nodiscard]] std::string get(std::string_view name) const {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  }
};

}  // namespace dsdoctor::kube
