// SPDX-License-Identifier: Apache-2.0
#include "kube/config/effective_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/printable.h"
#include "kube/config/proxy.h"
#include "kube/os/files.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

void overlay(std::string& target, const std::string& flag) {
  if (!flag.empty()) target = flag;
}

template <typename Entries>
std::vector<std::string> names_hint(const char* what, const Entries& entries) {
  if (entries.empty())
    return {fmt::format("no {} is defined in any kubeconfig that was read", what)};
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& [name, entry] : entries) names.push_back(base::printable(name));
  return {fmt::format("defined {}s: {}", what, fmt::join(names, ", "))};
}

/// Reports errors in kubectl's order: user, context, cluster.
base::Status check_names(const Kubeconfig& config, const ConfigFlags& flags) {
  const auto missing = [](const char* what, const std::string& name,
                          std::vector<std::string> hints) {
    return Error{ErrorKind::NotFound, "",
                 fmt::format("{} \"{}\" does not exist", what, base::printable(name)),
                 std::move(hints)};
  };
  if (!flags.user.empty() && !config.users.contains(flags.user)) {
    return missing("auth info", flags.user, names_hint("user", config.users));
  }
  if (!flags.context.empty() && !config.contexts.contains(flags.context)) {
    return missing("context", flags.context, names_hint("context", config.contexts));
  }
  if (!flags.cluster.empty() && !config.clusters.contains(flags.cluster)) {
    return missing("cluster", flags.cluster, names_hint("cluster", config.clusters));
  }
  if (flags.context.empty() && !config.current_context.empty() &&
      !config.contexts.contains(config.current_context)) {
    return Error{ErrorKind::NotFound, "Error in configuration",
                 fmt::format("context was not found for specified context: {}",
                             base::printable(config.current_context)),
                 names_hint("context", config.contexts)};
  }
  return std::monostate{};
}

void apply_cluster_flags(ClusterEntry& cluster, const ConfigFlags& flags,
                         const Environment& environment) {
  overlay(cluster.server, flags.server);
  // The kubeconfig's tls-server-name does not belong to the server of a flag.
  if (!flags.server.empty()) cluster.tls_server_name.clear();
  overlay(cluster.tls_server_name, flags.tls_server_name);
  if (!flags.certificate_authority.empty() || flags.insecure_skip_tls_verify) {
    cluster.certificate_authority =
        resolve_path(flags.certificate_authority, environment.working_directory);
    cluster.certificate_authority_data.clear();
    cluster.insecure_skip_tls_verify = flags.insecure_skip_tls_verify;
  }
  cluster.disable_compression = cluster.disable_compression || flags.disable_compression;
}

void apply_user_flags(EffectiveConfig& config, const ConfigFlags& flags,
                      const Environment& environment) {
  UserEntry& user = config.user;
  if (!flags.client_certificate.empty()) {
    user.client_certificate = resolve_path(flags.client_certificate, environment.working_directory);
    user.client_certificate_data.clear();
  }
  if (!flags.client_key.empty()) {
    user.client_key = resolve_path(flags.client_key, environment.working_directory);
    user.client_key_data.clear();
  }
  if (!flags.token.empty()) {
    user.token = flags.token;
    user.token_file.clear();
  }
  overlay(user.as, flags.as);
  overlay(user.as_uid, flags.as_uid);
  if (!flags.as_groups.empty()) user.as_groups = flags.as_groups;
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& text : flags.as_user_extra) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      config.warnings.push_back(fmt::format(
          "--as-user-extra \"{}\" is ignored: it must be key=value", base::printable(text)));
    } else {
      extra[text.substr(0, equals)].push_back(text.substr(equals + 1));
    }
  }
  for (auto& [key, values] : extra) user.as_user_extra[key] = std::move(values);
}

base::Status pick_cluster(EffectiveConfig& result, const Kubeconfig& config,
                          const ConfigFlags& flags) {
  const auto cluster = config.clusters.find(result.cluster_name);
  if (cluster != config.clusters.end()) {
    result.cluster = cluster->second;
  } else if (!result.cluster_name.empty() && flags.server.empty()) {
    return Error{ErrorKind::NotFound,
                 fmt::format("context \"{}\"", base::printable(result.context_name)),
                 fmt::format("refers to cluster \"{}\", which is not defined",
                             base::printable(result.cluster_name)),
                 names_hint("cluster", config.clusters)};
  }
  return std::monostate{};
}

/// Empty if the permissions let us open the file; nothing else is checked.
std::string open_problem(const std::string& path) {
  const auto status = check_readable(path);
  return status ? std::string() : base::to_string(status.error());
}

void check_exec(const EffectiveConfig& config, std::vector<std::string>& problems) {
  const auto& exec = config.user.exec;
  if (!exec) return;
  const std::string& name = config.user_name;
  const auto must_be = [&](const char* what) {
    problems.push_back(
        fmt::format("{} must be specified for {} to use exec authentication plugin", what, name));
  };
  if (config.user.auth_provider) {
    problems.push_back(fmt::format(
        "authProvider cannot be provided in combination with an exec plugin for {}", name));
  }
  if (exec->command.empty()) must_be("command");
  if (exec->api_version.empty()) must_be("apiVersion");
  for (const auto& [variable, value] : exec->env) {
    if (variable.empty()) must_be("env variable name");
  }
  const std::string& mode = exec->interactive_mode;
  if (mode.empty()) {
    // older versions have a default
    const bool has_default = exec->api_version == "client.authentication.k8s.io/v1beta1" ||
                             exec->api_version == "client.authentication.k8s.io/v1alpha1";
    if (!has_default) must_be("interactiveMode");
  } else if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    problems.push_back(fmt::format("invalid interactiveMode for {}: \"{}\"", name, mode));
  }
}

void check_certificate(const EffectiveConfig& config, std::vector<std::string>& problems) {
  const UserEntry& user = config.user;
  const std::string& name = config.user_name;
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return;
  const auto check_file = [&](const char* what, const std::string& path) {
    if (path.empty()) return;
    if (const auto problem = open_problem(path); !problem.empty()) {
      problems.push_back(
          fmt::format("unable to read {} {} for {} due to {}", what, path, name, problem));
    }
  };
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    problems.push_back(fmt::format(
        "client-cert-data and client-cert are both specified for {}. client-cert-data will "
        "override.",
        name));
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    problems.push_back(fmt::format(
        "client-key-data and client-key are both specified for {}; client-key-data will override",
        name));
  }
  if (user.client_key.empty() && user.client_key_data.empty()) {
    problems.push_back(
        fmt::format("client-key-data or client-key must be specified for {} to use the clientCert "
                    "authentication method.",
                    name));
  }
  check_file("client-cert", user.client_certificate);
  check_file("client-key", user.client_key);
}

void check_user(const EffectiveConfig& config, std::vector<std::string>& problems) {
  const UserEntry& user = config.user;
  const std::string& name = config.user_name;
  const bool basic = !user.username.empty() || !user.password.empty();
  check_certificate(config, problems);
  check_exec(config, problems);
  if (basic && !user.token.empty()) {
    problems.push_back(
        fmt::format("more than one authentication method found for {}; found "
                    "[token basicAuth], only one is allowed",
                    name));
  }
  if (basic && user.token.empty() && !user.token_file.empty()) {
    problems.push_back(
        fmt::format("username/password or bearer token may be set for {}, but not both", name));
  }
  const bool details =
      !user.as_uid.empty() || !user.as_groups.empty() || !user.as_user_extra.empty();
  if (user.as.empty() && details) {
    problems.push_back(fmt::format(
        "requesting uid, groups or user-extra for {} without impersonating a user", name));
  }
}

void check_cluster(const EffectiveConfig& config, std::vector<std::string>& problems) {
  const ClusterEntry& cluster = config.cluster;
  const std::string& name = config.cluster_name;
  if (!cluster.proxy_url.empty()) {
    if (const auto proxy = parse_proxy_url(cluster.proxy_url, false); !proxy) {
      problems.push_back(fmt::format("invalid 'proxy-url' \"{}\" for cluster \"{}\": {}",
                                     base::printable(redacted_url(cluster.proxy_url)), name,
                                     proxy.error().what));
    }
  }
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    problems.push_back(fmt::format(
        "certificate-authority-data and certificate-authority are both specified for {}. "
        "certificate-authority-data will override.",
        name));
  }
  if (!cluster.certificate_authority.empty()) {
    if (const auto problem = open_problem(cluster.certificate_authority); !problem.empty()) {
      problems.push_back(fmt::format("unable to read certificate-authority {} for {} due to {}",
                                     cluster.certificate_authority, name, problem));
    }
  }
}

}  // namespace

base::Result<EffectiveConfig> apply_flags(const Kubeconfig& config, const ConfigFlags& flags,
                                          const Environment& environment) {
  if (const auto status = check_names(config, flags); !status) return status.error();
  EffectiveConfig result;
  result.notes = config.notes;
  result.context_name = flags.context.empty() ? config.current_context : flags.context;
  if (const auto found = config.contexts.find(result.context_name);
      found != config.contexts.end()) {
    result.context = found->second;
  }
  result.cluster_name = flags.cluster.empty() ? result.context.cluster : flags.cluster;
  result.user_name = flags.user.empty() ? result.context.user : flags.user;
  if (const auto status = pick_cluster(result, config, flags); !status) return status.error();
  if (const auto user = config.users.find(result.user_name); user != config.users.end()) {
    result.user = user->second;
  } else if (!result.user_name.empty()) {
    result.anonymous_because = fmt::format(
        "context \"{}\" refers to user \"{}\", which is not defined: requests are anonymous",
        base::printable(result.context_name), base::printable(result.user_name));
    result.notes.push_back(result.anonymous_because);
  }
  apply_cluster_flags(result.cluster, flags, environment);
  apply_user_flags(result, flags, environment);
  result.ca_is_flag = !flags.certificate_authority.empty();
  if (result.cluster.server.empty()) {
    const std::string master = environment.get("KUBERNETES_MASTER");
    result.cluster.server = master.empty() ? "http://localhost:8080" : master;
    result.server_is_default = true;
  }
  return result;
}

std::vector<std::string> problems_of(const EffectiveConfig& config) {
  std::vector<std::string> problems;
  check_user(config, problems);
  check_cluster(config, problems);
  return problems;
}

}  // namespace dsdoctor::kube
