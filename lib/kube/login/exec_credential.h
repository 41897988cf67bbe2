#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/config/connection.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// What a login command answered. Holds secrets.
struct ExecCredential {
  std::string token;            // may be empty when there is a certificate
  std::string client_cert_pem;  // both or none
  std::string client_key_pem;
  std::optional<base::Time> expires;  // absent: until the server says 401
};

/// Runs the login command of `connection.identity.exec` (client.authentication.k8s.io/v1 and
/// v1beta1) and reads its answer. The command's stderr is ours; its stdout is never shown.
/// kubectl sets no time limit. Neither do we while the command has the terminal: a person logs in
/// as slowly as they like, and Ctrl-C ends both. Without a terminal nobody is there to see that it
/// hangs: then `time_limit` holds (0: none). REQUIRES: connection.identity.exec.
/// Errors: Unauthorized, in client-go's words, with the install hint where it is not installed,
/// and without running it when connection.plugin_policy does not permit it.
/// Source of truth: k8s.io/client-go v0.36, plugin/pkg/client/auth/exec/exec.go.
[[nodiscard]] base::Result<ExecCredential> run_exec_plugin(const Connection& connection,
                                                           const Environment& environment,
                                                           std::chrono::milliseconds time_limit);

/// KUBERNETES_EXEC_INFO: compact JSON.
[[nodiscard]] std::string exec_info(const Connection& connection, bool interactive);

/// Reads a plugin's stdout. Errors: Unauthorized; none repeats the output.
[[nodiscard]] base::Result<ExecCredential> parse_exec_credential(const std::string& output,
                                                                 const std::string& api_version);

}  // namespace dsdoctor::kube
