// SPDX-License-Identifier: Apache-2.0
#include "kube/login/exec_credential.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/time.h"
#include "kube/config/kuberc.h"
#include "kube/os/process.h"
#include "kube/text/base64.h"
#include "kube/text/certificate.h"
#include "kube/text/yaml_fields.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;
using nlohmann::json;

constexpr std::size_t max_output = 4U << 20U;  // bytes
constexpr const char* version_v1 = "client.authentication.k8s.io/v1";
constexpr const char* version_v1beta1 = "client.authentication.k8s.io/v1beta1";

Error exec_error(std::string what, std::vector<std::string> hints = {}) {
  return {ErrorKind::Unauthorized, "Unable to connect to the server: getting credentials",
          std::move(what), std::move(hints)};
}

base::Result<bool> wants_stdin(const ExecSpec& exec, const Environment& environment) {
  if (exec.interactive_mode == "Never") return false;
  if (exec.interactive_mode == "Always" && !environment.stdin_is_terminal) {
    return exec_error(
        "exec plugin cannot support interactive mode: standard input is not a "
        "terminal");
  }
  return environment.stdin_is_terminal;
}

/// If a name occurs twice, the later entry is used.
std::vector<std::string> child_environment(const Connection& connection,
                                           const Environment& environment, bool interactive) {
  auto variables = environment.variables;
  for (const auto& [name, value] : connection.identity.exec->env) variables[name] = value;
  variables["KUBERNETES_EXEC_INFO"] = exec_info(connection, interactive);
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) {
    result.push_back(name);
    result.back().append("=").append(value);
  }
  return result;
}

/// kubectl shows control characters of a hint as code points, including ESC.
std::string printable_hint(std::string hint) {
  for (std::size_t at = hint.find('\x1b'); at != hint.npos; at = hint.find('\x1b', at)) {
    hint.replace(at, 1, "U+001B");
  }
  return base::printable(hint, 4096);
}

Error not_installed(const ExecSpec& exec) {
  std::vector<std::string> hints{
      "it looks like you are trying to use a client-go credential plugin that is not installed; "
      "see https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
      "#client-go-credential-plugins"};
  if (!exec.install_hint.empty()) hints.push_back(printable_hint(exec.install_hint));
  return exec_error(fmt::format("exec: executable {} not found", base::printable(exec.command)),
                    std::move(hints));
}

/// Accepts JSON, the format of kubectl's plugins, and YAML too. A text that begins like JSON is
/// JSON or an error, as for client-go: YAML would accept what a broken command has printed.
std::optional<json> decode(const std::string& output) {
  auto document = json::parse(output, nullptr, false);
  if (document.is_discarded()) {
    if (base::trimmed(output).starts_with('{')) return std::nullopt;
    const auto root = first_yaml_document(output);
    if (!root) return std::nullopt;
    document = to_json(*root).value_or(json());
  }
  if (!document.is_object()) return std::nullopt;
  return document;
}

/// Absent and null are empty; another type is an error (null).
std::optional<std::string> text_of(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return std::string();
  if (!at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

base::Result<ExecCredential> read_status(const json& status) {
  const auto token = text_of(status, "token");
  const auto certificate = text_of(status, "clientCertificateData");
  const auto key = text_of(status, "clientKeyData");
  const auto at = status.find("expirationTimestamp");
  const bool has_expiry = at != status.end() && !at->is_null();
  const auto expires = text_of(status, "expirationTimestamp");
  if (!token || !certificate || !key || !expires) {
    return exec_error("decoding stdout: a field of status is not a string");
  }
  if (token->empty() && certificate->empty() && key->empty()) {
    return exec_error("exec plugin didn't return a token or cert/key pair");
  }
  if (certificate->empty() != key->empty()) {
    return exec_error("exec plugin returned only certificate or key, not both");
  }
  if (!base::fits_header(*token)) {
    return exec_error(
        "exec plugin returned a token with a line break or another control character");
  }
  if (!certificate->empty()) {
    if (const auto problem = problem_of_key_pair(*certificate, *key)) {
      return exec_error("failed parsing client key/certificate: " + *problem);
    }
  }
  ExecCredential credential{*token, *certificate, *key, std::nullopt};
  if (has_expiry) {
    credential.expires = base::parse_rfc3339(*expires);
    if (!credential.expires) {
      return exec_error("decoding stdout: status.expirationTimestamp is not an RFC 3339 time");
    }
  }
  return credential;
}

}  // namespace

std::string exec_info(const Connection& connection, bool interactive) {
  const ExecSpec& exec = *connection.identity.exec;
  json spec{{"interactive", interactive}};
  if (exec.provide_cluster_info) {
    const TlsSettings& tls = connection.tls;
    json cluster{{"server", origin_text(connection) + connection.server_path}};
    if (!tls.server_name.empty()) cluster["tls-server-name"] = tls.server_name;
    if (tls.insecure) cluster["insecure-skip-tls-verify"] = true;
    if (!tls.ca_given.empty()) cluster["certificate-authority-data"] = encode_base64(tls.ca_given);
    if (!connection.proxy_url.empty()) cluster["proxy-url"] = connection.proxy_url;
    if (connection.disable_compression) cluster["disable-compression"] = true;
    if (!connection.exec_extension.empty()) {
      cluster["config"] = json::parse(connection.exec_extension, nullptr, false);
    }
    spec["cluster"] = std::move(cluster);
  }
  const json info{
      {"kind", "ExecCredential"}, {"apiVersion", exec.api_version}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, json::error_handler_t::replace);
}

base::Result<ExecCredential> parse_exec_credential(const std::string& output,
                                                   const std::string& api_version) {
  const auto document = decode(output);
  if (!document) return exec_error("decoding stdout: it is not an ExecCredential in JSON");
  const auto kind = text_of(*document, "kind");
  const auto version = text_of(*document, "apiVersion");
  if (!kind || *kind != "ExecCredential" || !version) {
    return exec_error("decoding stdout: its kind is not ExecCredential");
  }
  if (*version != api_version) {
    return exec_error(
        fmt::format("exec plugin is configured to use API version {}, plugin returned version {}",
                    base::printable(api_version), base::printable(*version, 200)));
  }
  const auto status = document->find("status");
  if (status == document->end() || !status->is_object()) {
    return exec_error("exec plugin didn't return a status field");
  }
  return read_status(*status);
}

base::Result<ExecCredential> run_exec_plugin(const Connection& connection,
                                             const Environment& environment,
                                             std::chrono::milliseconds time_limit) {
  const ExecSpec& exec = *connection.identity.exec;
  if (exec.api_version != version_v1 && exec.api_version != version_v1beta1) {
    return exec_error(
        fmt::format("exec plugin: invalid apiVersion \"{}\"", base::printable(exec.api_version)));
  }
  const auto interactive = wants_stdin(exec, environment);
  if (!interactive) return interactive.error();
  // our PATH, not one from exec.env: the child's environment does not select the command
  const auto file =
      permitted_executable(connection.plugin_policy, exec.command,
                           CommandPath(environment.get("PATH"), environment.get("PATHEXT")));
  if (!file && file.error().kind == ErrorKind::Forbidden) return exec_error(file.error().what);
  if (!file && file.error().kind == ErrorKind::Unreadable) {
    return exec_error("exec: fork/exec " + base::printable(base::to_string(file.error())));
  }
  if (!file) return not_installed(exec);

  ProcessSpec process;
  process.file = *file;
  process.name = exec.command;
  process.args = exec.args;
  process.environment = child_environment(connection, environment, *interactive);
  process.inherit_stdin = *interactive;
  process.output_limit = max_output;
  if (!*interactive) process.time_limit = time_limit;
  const auto result = run_process(process);
  if (!result) {
    if (result.error().kind == ErrorKind::NotFound) return not_installed(exec);
    return exec_error("exec: " + base::printable(base::to_string(result.error())));
  }
  if (result->exit_code != 0) {
    return exec_error(fmt::format("exec: executable {} failed with exit code {}",
                                  base::printable(exec.command), result->exit_code));
  }
  return parse_exec_credential(result->output, exec.api_version);
}

}  // namespace dsdoctor::kube
