// SPDX-License-Identifier: Apache-2.0
#include "kube/config/resolve_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "kube/config/decisions.h"
#include "kube/config/effective_config.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/kuberc.h"
#include "kube/config/system_roots.h"
#include "kube/os/files.h"
#include "kube/text/certificate.h"
#include "kube/text/duration.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

constexpr std::size_t max_pem_size = 16U << 20U;  // bytes
constexpr const char* configuration = "Error in configuration";

base::Status as_error(const std::vector<std::string>& problems) {
  if (problems.empty()) return std::monostate{};
  if (problems.size() == 1) return Error{ErrorKind::Malformed, configuration, problems.front()};
  Error error{ErrorKind::Malformed, configuration, ""};
  for (const std::string& problem : problems) error.what += "\n* " + problem;
  return error;
}

std::vector<std::string> all_problems(const EffectiveConfig& config, const PluginPolicy& policy) {
  auto problems = problems_of(config);
  const std::string wrong_policy = config.user.exec ? problem_of(policy) : "";
  if (!wrong_policy.empty()) problems.push_back("allowlist misconfiguration: " + wrong_policy);
  return problems;
}

bool in_cluster_possible(const Environment& environment) {
  return !environment.get("KUBERNETES_SERVICE_HOST").empty() &&
         !environment.get("KUBERNETES_SERVICE_PORT").empty() &&
         is_file(environment.service_account_dir + "/token");
}

/// The service account supplies the settings that neither kubeconfig nor flags give.
void apply_in_cluster(EffectiveConfig& config, const Environment& environment) {
  const std::string host = environment.get("KUBERNETES_SERVICE_HOST");
  const bool v6 = host.find(':') != std::string::npos;
  config.cluster.server = fmt::format("https://{}:{}", v6 ? "[" + host + "]" : host,
                                      environment.get("KUBERNETES_SERVICE_PORT"));
  if (config.user.token.empty()) {
    config.user.token_file = environment.service_account_dir + "/token";
  }
  if (!config.ca_is_flag && !config.cluster.insecure_skip_tls_verify) {
    const std::string ca = environment.service_account_dir + "/ca.crt";
    const auto pem = read_file(ca, max_pem_size, long_patience);
    if (pem && !readable_certificates(*pem).empty()) {
      config.cluster.certificate_authority = ca;
    } else {
      config.warnings.push_back(fmt::format("{} {}: the system's roots are used", ca,
                                            pem ? "contains no certificate" : "cannot be read"));
    }
  }
}

base::Result<std::string> resolve_namespace(const EffectiveConfig& config, const ConfigFlags& flags,
                                            const Environment& environment) {
  if (flags.all_namespaces) return std::string("default");  // no namespace is part of any request
  std::string ns = flags.ns.empty() ? config.context.ns : flags.ns;
  if (ns.empty() && in_cluster_possible(environment)) {
    ns = environment.get("POD_NAMESPACE");
    if (ns.empty()) {
      const auto file =
          read_file(environment.service_account_dir + "/namespace", max_pem_size, long_patience);
      if (file) ns = base::trimmed(*file);
    }
  }
  if (ns.empty()) ns = "default";
  if (ns == "." || ns == ".." || ns.find_first_of("/%") != std::string::npos ||
      !base::fits_header(ns)) {
    return Error{ErrorKind::Usage, "",
                 fmt::format("invalid namespace \"{}\"", base::printable(ns))};
  }
  return ns;
}

/// Returns `data` if it is set, else the file's bytes.
base::Result<std::string> pem_of(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  return read_file(file, max_pem_size, long_patience);
}

/// The name becomes a part of URLs: it must not contain a delimiter.
bool is_server_name(const std::string& name) {
  return std::ranges::all_of(name, [](char c) {
    return base::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == ':';
  });
}

base::Status read_trust(TlsSettings& tls, const EffectiveConfig& config,
                        const Environment& environment) {
  const ClusterEntry& cluster = config.cluster;
  const bool has_ca =
      !cluster.certificate_authority.empty() || !cluster.certificate_authority_data.empty();
  tls.insecure = cluster.insecure_skip_tls_verify;
  tls.server_name = cluster.tls_server_name;
  if (!is_server_name(tls.server_name)) {
    return Error{ErrorKind::Malformed, configuration,
                 fmt::format("tls-server-name \"{}\" is not a host name or address",
                             base::printable(tls.server_name))};
  }
  if (tls.insecure && has_ca) {
    return Error{ErrorKind::Malformed, configuration,
                 "specifying a root certificates file with the insecure flag is not allowed"};
  }
  if (!has_ca) {
    tls.ca_source = "the system's roots";
    if (!tls.insecure) tls.ca_pem = system_roots(environment);
    return std::monostate{};
  }
  tls.ca_source = cluster.certificate_authority_data.empty() ? cluster.certificate_authority
                                                             : "certificate-authority-data";
  auto pem = pem_of(cluster.certificate_authority_data, cluster.certificate_authority);
  if (!pem) return pem.error();
  for (const std::string& certificate : readable_certificates(*pem)) {
    tls.ca_pem.append(certificate).append("\n");
  }
  if (tls.ca_pem.empty()) {
    return Error{ErrorKind::Malformed, "unable to load root certificates",
                 fmt::format("{} contains no readable PEM certificate", tls.ca_source)};
  }
  tls.ca_given = std::move(*pem);
  return std::monostate{};
}

base::Status read_client_certificate(TlsSettings& tls, const UserEntry& user) {
  auto certificate = pem_of(user.client_certificate_data, user.client_certificate);
  if (!certificate) return certificate.error();
  if (certificate->empty()) return std::monostate{};  // a key alone is ignored
  auto key = pem_of(user.client_key_data, user.client_key);
  if (!key) return key.error();
  if (auto problem = problem_of_key_pair(*certificate, *key)) {
    return Error{ErrorKind::Malformed, configuration, std::move(*problem)};
  }
  tls.client_cert_pem = std::move(*certificate);
  tls.client_key_pem = std::move(*key);
  return std::monostate{};
}

/// User credentials are used over https only.
base::Status fill_identity(Connection& connection, const EffectiveConfig& config) {
  const UserEntry& user = config.user;
  Identity& identity = connection.identity;
  if (connection.server.user) {
    identity.username = *connection.server.user;
    identity.password = connection.server.password;
  } else if (!user.token.empty() || !user.token_file.empty()) {
    identity.token = user.token;
    identity.token_file = user.token_file;
  } else if (!user.username.empty() || !user.password.empty()) {
    identity.username = user.username;
    identity.password = user.password;
  } else if (connection.tls.client_cert_pem.empty()) {
    identity.exec = user.exec;
    if (!user.exec) identity.auth_provider = user.auth_provider;
  }
  if (!base::fits_header(identity.token)) {
    return Error{ErrorKind::Malformed, fmt::format("the token of user \"{}\"", config.user_name),
                 "net/http: invalid header field value for \"Authorization\": it contains a line "
                 "break or another control character"};
  }
  return std::monostate{};
}

base::Status fill_impersonation(Connection& connection, const UserEntry& user) {
  Impersonation& target = connection.impersonation;
  bool fits = base::fits_header(user.as) && base::fits_header(user.as_uid);
  target = {user.as, user.as_uid, user.as_groups, user.as_user_extra};
  for (const auto& group : target.groups) fits = fits && base::fits_header(group);
  for (const auto& [key, values] : target.extra) {
    for (const auto& value : values) fits = fits && base::fits_header(value);
  }
  if (fits) return std::monostate{};
  return Error{ErrorKind::Malformed, configuration,
               "a value for impersonation contains a line break or another control character"};
}

base::Status fill_proxy(Connection& connection, const EffectiveConfig& config,
                        const Environment& environment) {
  connection.proxy_url = config.cluster.proxy_url;
  if (!connection.proxy_url.empty()) {
    auto url = parse_proxy_url(connection.proxy_url, false);
    if (!url) return url.error();
    connection.proxy = Proxy{std::move(*url), "proxy-url"};
    return std::monostate{};
  }
  auto proxy = proxy_from_environment(connection.server, environment);
  if (!proxy) return proxy.error();
  connection.proxy = std::move(*proxy);
  return std::monostate{};
}

base::Status fill_server(Connection& connection, const EffectiveConfig& config,
                         const Environment& environment) {
  auto server = parse_server_url(config.cluster.server);
  if (!server) return Error{ErrorKind::Malformed, configuration, server.error().what};
  connection.server = std::move(*server);
  const auto given = parse_url(config.cluster.server);
  connection.server_path = given ? given->path : "";
  const bool secure = connection.server.scheme == "https";
  if (!secure && connection.server.user) {
    return Error{ErrorKind::Malformed, configuration,
                 "the server URL contains a user name or password, which is not sent over plain "
                 "http: use https, or remove it"};
  }
  if (secure) {
    if (auto status = read_trust(connection.tls, config, environment); !status) return status;
    if (auto status = read_client_certificate(connection.tls, config.user); !status) {
      return status;
    }
    if (auto status = fill_identity(connection, config); !status) return status;
    if (connection.tls.insecure) {
      connection.warnings.emplace_back(
          "the server's certificate is not verified (insecure-skip-tls-verify)");
    }
  }
  connection.server.user.reset();
  connection.server.password.clear();
  return fill_proxy(connection, config, environment);
}

/// A value that is not a number is treated as unset, like in k8s.io/apimachinery's util/net.
std::chrono::seconds seconds_from(const std::string& text, std::chrono::seconds otherwise) {
  constexpr int most = 24 * 3600;
  const auto value = base::to_number<int>(text);
  return value && *value >= 0 && *value <= most ? std::chrono::seconds(*value) : otherwise;
}

ConnectionHealth health_from(const Environment& environment) {
  const ConnectionHealth usual;
  ConnectionHealth health;
  health.idle = seconds_from(environment.get("HTTP2_READ_IDLE_TIMEOUT_SECONDS"), usual.idle);
  health.answer = seconds_from(environment.get("HTTP2_PING_TIMEOUT_SECONDS"), usual.answer);
  if (health.answer.count() == 0) health.answer = usual.answer;
  return health;
}

}  // namespace

base::Result<Connection> resolve_connection(const ConfigFlags& flags,
                                            const Environment& environment) {
  const auto kubeconfig = load_kubeconfig(flags.kubeconfig, environment);
  if (!kubeconfig) return kubeconfig.error();
  return resolve_connection(*kubeconfig, flags, environment);
}

base::Result<Connection> resolve_connection(const Kubeconfig& kubeconfig, const ConfigFlags& flags,
                                            const Environment& environment) {
  auto kuberc = load_kuberc(flags.kuberc, environment);
  if (!kuberc) return kuberc.error();
  auto config = apply_flags(kubeconfig, flags, environment);
  if (!config) return config.error();

  Connection connection;
  if (config->server_is_default && flags.cluster.empty() && in_cluster_possible(environment)) {
    apply_in_cluster(*config, environment);
    connection.in_cluster = true;
  }
  if (const auto status = as_error(all_problems(*config, kuberc->policy)); !status) {
    return status.error();
  }
  const auto timeout = parse_request_timeout(flags.request_timeout);
  if (!timeout) return timeout.error();
  auto ns = resolve_namespace(*config, flags, environment);
  if (!ns) return ns.error();

  connection.context = config->context_name;
  connection.cluster = config->cluster_name;
  connection.user = config->user_name;
  connection.ns = std::move(*ns);
  connection.server_is_default = config->server_is_default && !connection.in_cluster;
  connection.exec_extension = config->cluster.exec_extension;
  connection.disable_compression = config->cluster.disable_compression;
  connection.disable_http2 = !environment.get("DISABLE_HTTP2").empty();
  connection.health = health_from(environment);
  connection.request_timeout = *timeout;
  connection.notes = config->notes;
  connection.anonymous_because = config->anonymous_because;
  connection.warnings = config->warnings;
  connection.plugin_policy = std::move(kuberc->policy);
  std::ranges::move(kuberc->warnings, std::back_inserter(connection.warnings));
  if (const auto status = fill_server(connection, *config, environment); !status) {
    return status.error();
  }
  if (const auto status = fill_impersonation(connection, config->user); !status) {
    return status.error();
  }
  connection.decisions = decisions_of(connection, *config, kubeconfig.files, environment);
  return connection;
}

}  // namespace dsdoctor::kube
