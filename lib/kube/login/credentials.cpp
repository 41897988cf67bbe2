// SPDX-License-Identifier: Apache-2.0
#include "kube/login/credentials.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "kube/login/exec_credential.h"
#include "kube/os/files.h"
#include "kube/text/base64.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

Error unusable(const AuthProvider& provider, std::string what, std::vector<std::string> hints) {
  return {ErrorKind::Unauthorized,
          fmt::format("auth-provider \"{}\"", base::printable(provider.name)), std::move(what),
          std::move(hints)};
}

/// The `exp` of a JSON web token, in seconds since 1970; 0 if it cannot be read.
double expiry_of(const std::string& token) {
  const auto parts = base::split(token, ".");
  if (parts.size() < 3) return 0;
  const auto payload = decode_base64_url(parts[1]);
  const auto claims = nlohmann::json::parse(payload.value_or(""), nullptr, false);
  if (!claims.is_object()) return 0;
  const auto exp = claims.find("exp");
  return exp != claims.end() && exp->is_number() ? exp->get<double>() : 0;
}

constexpr std::size_t max_token_size = 1U << 20U;  // bytes
constexpr std::chrono::seconds max_token_age(50);  // one minute minus client-go's leeway

std::string bearer(const std::string& token) { return token.empty() ? "" : "Bearer " + token; }

base::Result<std::string> read_token(const std::string& path) {
  auto text = read_file(path, max_token_size, long_patience);
  if (!text) {
    return Error{text.error().kind, fmt::format("failed to read token file \"{}\"", path),
                 base::to_string(text.error())};
  }
  std::string token(base::trimmed(*text));
  if (token.empty()) {
    return Error{ErrorKind::Unauthorized, "",
                 fmt::format("read empty token from file \"{}\"", path)};
  }
  if (!base::fits_header(token)) {
    return Error{ErrorKind::Malformed, fmt::format("token file \"{}\"", path),
                 "contains a control character"};
  }
  return token;
}

}  // namespace

base::Result<std::string> token_of_auth_provider(const AuthProvider& provider, base::Time now) {
  if (provider.name == "gcp" || provider.name == "azure") {
    return unusable(provider, "was removed from Kubernetes 1.26: use an exec plugin instead",
                    {provider.name == "gcp" ? "install gke-gcloud-auth-plugin and renew the "
                                              "kubeconfig with `gcloud container clusters "
                                              "get-credentials`"
                                            : "install kubelogin and run `kubelogin "
                                              "convert-kubeconfig`"});
  }
  if (provider.name != "oidc") {
    return unusable(
        provider,
        fmt::format("no Auth Provider found for name \"{}\"", base::printable(provider.name)), {});
  }
  const auto found = provider.config.find("id-token");
  const std::string token = found == provider.config.end() ? "" : found->second;
  const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
  constexpr double leeway = 10;  // seconds, as in client-go
  if (!token.empty() && expiry_of(token) > seconds + leeway) return token;
  return unusable(provider, token.empty() ? "has no id-token" : "the id-token has expired",
                  {"run any kubectl command, which renews the token, or switch to an exec plugin"});
}

CredentialSource::CredentialSource(const Connection& connection, Environment environment,
                                   Clock clock)
    : connection_(connection), environment_(std::move(environment)), clock_(std::move(clock)) {}

base::Result<Credential> CredentialSource::current() {
  const std::lock_guard lock(mutex_);
  if (const auto status = refresh(false); !status) return status.error();
  return credential_;
}

base::Result<bool> CredentialSource::renew(const Credential& used) {
  const std::lock_guard lock(mutex_);
  // a 401 of another thread has already caused a renewal
  if (credential_.generation != used.generation) return true;
  const Identity& identity = connection_.identity;
  if (identity.token_file.empty() && (!identity.exec || plugin_renewed_)) return false;
  plugin_renewed_ = true;
  if (const auto status = refresh(true); !status) return status.error();
  return credential_.generation != used.generation;
}

void CredentialSource::confirm(const Credential& used) {
  const std::lock_guard lock(mutex_);
  if (credential_.generation == used.generation) plugin_renewed_ = false;
}

base::Status CredentialSource::refresh(bool force) {
  const Identity& identity = connection_.identity;
  if (!identity.token_file.empty()) return refresh_from_file(force);
  if (identity.exec) return refresh_from_plugin(force);
  if (ready_) return std::monostate{};
  std::string authorization = bearer(identity.token);
  if (identity.auth_provider) {
    const auto token = token_of_auth_provider(*identity.auth_provider, clock_.now());
    if (!token) return token.error();
    authorization = bearer(*token);
  } else if (!identity.username.empty() || !identity.password.empty()) {
    authorization = "Basic " + encode_base64(identity.username + ":" + identity.password);
  }
  return set(std::move(authorization), connection_.tls.client_cert_pem,
             connection_.tls.client_key_pem);
}

base::Status CredentialSource::refresh_from_file(bool force) {
  const base::Time now = clock_.now();
  if (ready_ && !force && now - read_at_ < max_token_age) return std::monostate{};
  const auto token = read_token(connection_.identity.token_file);
  read_at_ = now;
  if (!token && ready_) return std::monostate{};
  // after its first successful read the file takes precedence; until then the token is used
  const std::string& beside = connection_.identity.token;
  if (!token && beside.empty()) return token.error();
  return set(bearer(token ? *token : beside), connection_.tls.client_cert_pem,
             connection_.tls.client_key_pem);
}

base::Status CredentialSource::refresh_from_plugin(bool force) {
  const bool expired = expires_ && clock_.now() > *expires_;
  if (ready_ && !force && !expired) return std::monostate{};
  if (plugin_error_) return *plugin_error_;
  auto answer = run_exec_plugin(connection_, environment_, connection_.exec_time_limit);
  if (!answer) {
    plugin_error_ = answer.error();
    return answer.error();
  }
  expires_ = answer->expires;
  return set(bearer(answer->token), std::move(answer->client_cert_pem),
             std::move(answer->client_key_pem));
}

base::Status CredentialSource::set(std::string authorization, std::string cert_pem,
                                   std::string key_pem) {
  if (!base::fits_header(authorization)) {
    return Error{ErrorKind::Malformed, "Unable to connect to the server",
                 "net/http: invalid header field value for \"Authorization\": it contains a line "
                 "break or another control character"};
  }
  const bool same = ready_ && authorization == credential_.authorization &&
                    cert_pem == credential_.client_cert_pem &&
                    key_pem == credential_.client_key_pem;
  ready_ = true;
  if (same) return std::monostate{};
  credential_ = {std::move(authorization), std::move(cert_pem), std::move(key_pem),
                 credential_.generation + 1};
  return std::monostate{};
}

}  // namespace dsdoctor::kube
