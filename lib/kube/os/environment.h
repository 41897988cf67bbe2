#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dsdoctor::kube {

/// What the process was started with. A value, so that nothing here reads the environment by
/// itself and a test can say what it is.
struct Environment {
  std::map<std::string, std::string, std::less<>> variables;
  /// Absolute. Relative names in flags and in KUBECONFIG refer to it.
  std::string working_directory;
  /// True only when a login command may use it: a terminal, and not read by ourselves (`-f -`).
  bool stdin_is_terminal = false;
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  /// Empty where unset: no variable we read makes a difference between the two.
  [[nodiscard]] std::string get(std::string_view name) const {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  }
};

}  // namespace dsdoctor::kube
