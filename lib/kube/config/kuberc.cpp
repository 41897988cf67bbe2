// SPDX-License-Identifier: Apache-2.0
#include "kube/config/kuberc.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "kube/os/files.h"
#include "kube/os/platform.h"
#include "kube/text/yaml_fields.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string problem_of_allowlist(const PluginPolicy& policy) {
  if (!policy.allowlist) {
    return "credentialPluginPolicy is \"Allowlist\", but credentialPluginAllowlist is missing";
  }
  if (policy.allowlist->empty()) {
    return "credentialPluginPolicy is \"Allowlist\", but credentialPluginAllowlist is empty; use "
           "the policy \"DenyAll\" instead";
  }
  for (std::size_t i = 0; i < policy.allowlist->size(); ++i) {
    const std::string& entry = (*policy.allowlist)[i];
    if (entry.empty()) return fmt::format("credentialPluginAllowlist[{}] has no command", i);
    if (clean_path(entry) != entry) {
      return fmt::format("credentialPluginAllowlist[{}]: \"{}\" must be written \"{}\"", i,
                         base::printable(entry), base::printable(clean_path(entry)));
    }
  }
  return {};
}

/// Reports whether an entry is the command as configured, the file itself, or resolves to that
/// file.
bool is_listed(const PluginPolicy& policy, const std::string& command, const std::string& file,
               const CommandPath& path) {
  return std::ranges::any_of(*policy.allowlist, [&](const std::string& entry) {
    if (entry == command || entry == file) return true;
    if (base_name(entry) != base_name(file)) return false;
    const auto found = find_executable(entry, path);
    return found && *found == file;
  });
}

constexpr std::size_t largest_kuberc = 16U << 20U;  // bytes

struct Place {
  std::string path;
  bool asked_for = false;  // else the default file, which may be missing
};

/// The path is empty if no file is to be read.
base::Result<Place> place_of(const std::string& explicit_path, const Environment& environment) {
  const std::string variable = environment.get("KUBERC");
  if (variable == "off") {
    if (explicit_path.empty()) return Place{};
    return Error{ErrorKind::Usage, "",
                 "disabling kuberc via KUBERC=off and passing the kuberc flag are mutually "
                 "exclusive"};
  }
  if (base::lower_case(environment.get("KUBECTL_KUBERC")) == "false") return Place{};
  if (!explicit_path.empty()) return Place{explicit_path, true};
  if (!variable.empty()) return Place{variable, true};
  const std::string home = home_folder(environment);
  if (home.empty()) return Place{};  // a file in the working directory is not trusted
  return Place{home + "/.kube/kuberc", false};
}

/// The key is `command` in 1.36, `name` in 1.35.
std::string entry_of(YamlFields& fields) {
  std::string command = fields.text("command");
  std::string name = fields.text("name");
  if (!command.empty() && !name.empty() && command != name) {
    fields.problem("command", "differs from name, which is its old spelling");
  }
  return command.empty() ? name : command;
}

bool is_preference(YamlFields& fields) {
  const std::string version = fields.text("apiVersion");
  return fields.text("kind") == "Preference" && (version == "kubectl.config.k8s.io/v1beta1" ||
                                                 version == "kubectl.config.k8s.io/v1alpha1");
}

/// Null if the document is not a Preference; its problems are then reported as well.
std::optional<PluginPolicy> decode(std::string_view document, std::vector<std::string>& problems) {
  const auto root = first_yaml_document(document);
  if (!root) {
    problems.push_back(root.error().what);
    return std::nullopt;
  }
  if (root->IsNull()) return std::nullopt;
  std::vector<std::string> wrong;
  YamlFields fields(*root, "", wrong);
  PluginPolicy policy;
  if (!is_preference(fields)) {
    wrong.emplace_back("it is not a Preference of kubectl.config.k8s.io/v1beta1");
  } else {
    policy.type = fields.text("credentialPluginPolicy");
    if (fields.find("credentialPluginAllowlist")) policy.allowlist.emplace();
    fields.for_each("credentialPluginAllowlist",
                    [&](YamlFields& entry) { policy.allowlist->push_back(entry_of(entry)); });
  }
  if (wrong.empty()) return policy;
  problems.insert(problems.end(), wrong.begin(), wrong.end());
  return std::nullopt;
}

base::Result<PluginPolicy> parse(std::string_view text, const std::string& path) {
  std::vector<std::string> problems;
  for (const std::string_view document : split_yaml_documents(text)) {
    if (auto policy = decode(document, problems)) return std::move(*policy);
  }
  return Error{ErrorKind::Malformed, fmt::format("kuberc file \"{}\"", path),
               problems.empty() ? "it contains no Preference" : base::printable(problems.front())};
}

}  // namespace

std::string problem_of(const PluginPolicy& policy) {
  if (policy.type == "Allowlist") return problem_of_allowlist(policy);
  if (!policy.type.empty() && policy.type != "AllowAll" && policy.type != "DenyAll") {
    return fmt::format(
        "credentialPluginPolicy is \"{}\", must be \"AllowAll\", \"DenyAll\" or \"Allowlist\"",
        base::printable(policy.type));
  }
  if (policy.allowlist) {
    return fmt::format(
        "credentialPluginAllowlist is set, but credentialPluginPolicy is \"{}\", not "
        "\"Allowlist\"",
        policy.type);
  }
  return {};
}

base::Result<std::string> permitted_executable(const PluginPolicy& policy,
                                               const std::string& command,
                                               const CommandPath& path) {
  const std::string clean = clean_path(command);
  if (const std::string problem = problem_of(policy); !problem.empty()) {
    return Error{ErrorKind::Forbidden, "", "allowlist misconfiguration: " + problem};
  }
  if (policy.type == "DenyAll") {
    return Error{ErrorKind::Forbidden, "",
                 fmt::format("plugin \"{}\" not allowed: policy set to \"DenyAll\"",
                             base::printable(clean))};
  }
  auto file = find_executable(clean, path);
  if (!file || policy.type != "Allowlist") return file;
  if (is_listed(policy, clean, *file, path)) return file;
  return Error{ErrorKind::Forbidden, "",
               fmt::format("plugin path \"{}\" is not permitted by the credential plugin allowlist",
                           base::printable(*file))};
}

base::Result<Kuberc> load_kuberc(const std::string& explicit_path, const Environment& environment) {
  const auto place = place_of(explicit_path, environment);
  if (!place) return place.error();
  if (place->path.empty()) return Kuberc{};
  const std::string path = resolve_path(place->path, environment.working_directory);
  std::optional<Error> error;
  // One that was asked for may come from a pipe, like a kubeconfig.
  const auto patience = place->asked_for ? std::nullopt : std::optional(short_patience);
  if (const auto text = read_file(path, largest_kuberc, patience); !text) {
    if (text.error().kind == ErrorKind::NotFound && !place->asked_for) return Kuberc{};
    error = Error{text.error().kind, "kuberc", base::to_string(text.error())};
  } else {
    auto policy = parse(*text, path);
    if (policy) return Kuberc{std::move(*policy), path, {}};
    error = policy.error();
  }
  if (place->asked_for) return *error;
  return Kuberc{{}, "", {base::to_string(*error) + "; it restricts no login command"}};
}

}  // namespace dsdoctor::kube
