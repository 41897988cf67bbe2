// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/config/connection.h"
#include "kube/config/kubeconfig.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// Returns the bearer token of a legacy `auth-provider`. Only `oidc` with a valid id-token has one:
/// redeeming a refresh token would require writing the kubeconfig, which we never do. Errors:
/// Unauthorized, with the alternative.
[[nodiscard]] base::Result<std::string> token_of_auth_provider(const AuthProvider& provider,
                                                               base::Time now);

/// The credential of one request. Secret.
struct Credential {
  std::string authorization;  // the header's value; empty: no header
  std::string client_cert_pem;
  std::string client_key_pem;
  std::uint64_t generation = 0;  // grows with every change
};

/// Supplies the current credential: fixed, from a token file that rotates, or from a login command
/// that runs at most once at a time and only when a request needs it. Thread-safe.
class CredentialSource {
 public:
  CredentialSource(const Connection& connection, Environment environment, Clock clock);

  /// Errors: Unauthorized (login command, legacy provider), or the token file's if the first read
  /// fails; after later failures the last valid token is used. A login command that has failed does
  /// not run again: parallel requests would prompt the user once each.
  [[nodiscard]] base::Result<Credential> current();

  /// Call after a 401 to `used`. True if `current` now returns another credential, so that the
  /// request is worth one retry; the login command runs again for it.
  [[nodiscard]] base::Result<bool> renew(const Credential& used);

  /// Call after the server accepted `used`: a later 401 to it permits one more renewal.
  void confirm(const Credential& used);

 private:
  base::Status refresh(bool force);
  base::Status refresh_from_file(bool force);
  base::Status refresh_from_plugin(bool force);
  /// The only function that sets the credential. Errors: Malformed; such a value must not get into
  /// a header.
  base::Status set(std::string authorization, std::string cert_pem, std::string key_pem);

  Connection connection_;
  Environment environment_;
  Clock clock_;
  std::mutex mutex_;
  Credential credential_;
  bool ready_ = false;
  bool plugin_renewed_ = false;  // a second 401 is final: the plugin does not run again for it
  base::Time read_at_;           // of the token file
  std::optional<base::Time> expires_;  // of the plugin's credential
  std::optional<base::Error> plugin_error_;
};

}  // namespace dsdoctor::kube
