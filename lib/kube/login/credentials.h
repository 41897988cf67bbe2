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

/// The bearer token of a legacy `auth-provider`. Only `oidc` with an id-token that is still valid
/// has one: redeeming a refresh token would have to write the kubeconfig, which we never do.
/// Errors: Unauthorized, with what to use instead.
[[nodiscard]] base::Result<std::string> token_of_auth_provider(const AuthProvider& provider,
                                                               base::Time now);

/// What one request presents. Secret.
struct Credential {
  std::string authorization;  // the header's value; empty: none
  std::string client_cert_pem;
  std::string client_key_pem;
  std::uint64_t generation = 0;  // grows with every change
};

/// Knows the credential in force: fixed, from a token file that rotates, or from a login command
/// that runs at most once at a time and only when a request needs it. Thread-safe.
class CredentialSource {
 public:
  CredentialSource(const Connection& connection, Environment environment, Clock clock);

  /// Errors: Unauthorized (login command, legacy provider), or the token file's when the first
  /// read fails; later failures keep the last good token. A login command that has failed does not
  /// run again: parallel requests would ask the user once each.
  [[nodiscard]] base::Result<Credential> current();

  /// The server said 401 to `used`. True when `current` now gives another one, so that one
  /// repetition is worth it; the login command then runs again.
  [[nodiscard]] base::Result<bool> renew(const Credential& used);

  /// The server took `used`: should it say 401 to it later on, it may be renewed once more.
  void confirm(const Credential& used);

 private:
  base::Status refresh(bool force);
  base::Status refresh_from_file(bool force);
  base::Status refresh_from_plugin(bool force);
  /// The one way to a new credential. Errors: Malformed; no header may carry it.
  base::Status set(std::string authorization, std::string cert_pem, std::string key_pem);

  Connection connection_;
  Environment environment_;
  Clock clock_;
  std::mutex mutex_;
  Credential credential_;
  bool ready_ = false;
  bool plugin_renewed_ = false;  // a second 401 is final: the plugin does not run for it again
  base::Time read_at_;           // of the token file
  std::optional<base::Time> expires_;  // of the plugin's credential
  std::optional<base::Error> plugin_error_;
};

}  // namespace dsdoctor::kube
