// SPDX-License-Identifier: Apache-2.0
#include "kube/config/decisions.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace dsdoctor::kube {
namespace {

std::string files_text(const std::vector<std::string>& files) {
  if (files.empty()) return "kubeconfig: no file was read";
  return fmt::format("kubeconfig: {}", fmt::join(files, ", "));
}

std::string context_text(const Connection& connection) {
  if (connection.in_cluster) return "configuration: in-cluster, by the pod's service account";
  return fmt::format("configuration: context \"{}\", cluster \"{}\", user \"{}\", not in-cluster",
                     connection.context, connection.cluster, connection.user);
}

std::string proxy_text(const Connection& connection, const Environment& environment) {
  if (connection.proxy) {
    const Url& url = connection.proxy->url;
    return fmt::format("proxy: {}://{}{} by {}", url.scheme, url.user ? "xxxxx@" : "",
                       url.address(), connection.proxy->origin);
  }
  const bool secure = connection.server.scheme == "https";
  const bool named =
      secure ? !environment.get("HTTPS_PROXY").empty() || !environment.get("https_proxy").empty()
             : !environment.get("HTTP_PROXY").empty() || !environment.get("http_proxy").empty();
  return named ? "proxy: none, the server is excepted (NO_PROXY, or loopback)" : "proxy: none";
}

std::string credential_text(const Connection& connection) {
  if (connection.server.scheme != "https") return "credentials: none are sent over plain http";
  const Identity& identity = connection.identity;
  std::vector<std::string> kinds;
  if (!connection.tls.client_cert_pem.empty()) kinds.emplace_back("client certificate");
  if (!identity.token_file.empty()) {
    kinds.push_back("token of file " + identity.token_file);
  } else if (!identity.token.empty()) {
    kinds.emplace_back("token");
  }
  if (!identity.username.empty() || !identity.password.empty()) {
    kinds.emplace_back("user name and password");
  }
  if (identity.exec) kinds.push_back("login command " + identity.exec->command);
  if (identity.auth_provider) kinds.push_back("auth-provider " + identity.auth_provider->name);
  return fmt::format("credentials: {}",
                     kinds.empty() ? "none" : fmt::to_string(fmt::join(kinds, ", ")));
}

std::string trust_text(const Connection& connection) {
  if (connection.tls.insecure) return "trust: the server's certificate is not verified";
  return "trust: " + connection.tls.ca_source;
}

}  // namespace

std::vector<std::string> decisions_of(const Connection& connection, const EffectiveConfig& config,
                                      const std::vector<std::string>& files,
                                      const Environment& environment) {
  std::vector<std::string> texts{files_text(files),
                                 context_text(connection),
                                 fmt::format("server: {}{}", server_text(connection),
                                             connection.server_is_default ? ", the default" : ""),
                                 fmt::format("namespace: {}", connection.ns),
                                 proxy_text(connection, environment),
                                 credential_text(connection)};
  if (connection.server.scheme == "https") texts.push_back(trust_text(connection));
  if (!config.user.as.empty()) texts.push_back("impersonated: " + config.user.as);
  for (std::string& text : texts) text = base::printable(text);
  return texts;
}

}  // namespace dsdoctor::kube
