// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/config/connection.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// The answer of a login command. Holds secrets.
struct ExecCredential {
  std::string token;            // may be empty if there is a certificate
  std::string client_cert_pem;  // both set or both empty
  std::string client_key_pem;
  std::optional<base::Time> expires;  // absent: valid until the server answers 401
};

/// Runs the login command of `connection.identity.exec` (client.authentication.k8s.io/v1 and
/// v1beta1) and reads its answer. The command inherits our stderr; its stdout is never shown.
/// kubectl sets no time limit. Neither do we while the command has the terminal: a person may take
/// any time to log in, and Ctrl-C ends both. Without a terminal nobody would notice that it hangs,
/// so `time_limit` applies (0: none). REQUIRES: connection.identity.exec.
/// Errors: Unauthorized, in client-go's words, with the install hint if it is not installed, and
/// without running it if connection.plugin_policy does not permit it.
/// Source of truth: k8s.io/client-go v0.36, plugin/pkg/client/auth/exec/exec.go.
[[nodiscard]] base::Result<ExecCredential> run_exec_plugin(const Connection& connection,
                                                           const Environment& environment,
                                                           std::chrono::milliseconds time_limit);

/// KUBERNETES_EXEC_INFO: compact JSON.
[[nodiscard]] std::string exec_info(const Connection& connection, bool interactive);

/// Parses a plugin's stdout. Errors: Unauthorized; no error repeats the output.
[[nodiscard]] base::Result<ExecCredential> parse_exec_credential(const std::string& output,
                                                                 const std::string& api_version);

}  // namespace dsdoctor::kube
