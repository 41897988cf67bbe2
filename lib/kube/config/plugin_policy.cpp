#include "kube/config/plugin_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/printable.h"
#include "kube/os/process.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

/// Go's filepath.Clean.
std::string cleaned(const std::string& text) {
  std::string clean = std::filesystem::path(text).lexically_normal().string();
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean.empty() ? "." : clean;
}

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
    if (cleaned(entry) != entry) {
      return fmt::format("credentialPluginAllowlist[{}]: \"{}\" must be written \"{}\"", i,
                         base::printable(entry), base::printable(cleaned(entry)));
    }
  }
  return {};
}

/// An entry names the command as configured, or the file itself, or leads to the same file.
bool is_listed(const PluginPolicy& policy, const std::string& command, const std::string& file,
               const std::string& path) {
  return std::ranges::any_of(*policy.allowlist, [&](const std::string& entry) {
    if (entry == command || entry == file) return true;
    if (base_name(entry) != base_name(file)) return false;
    const auto found = find_executable(entry, path);
    return found && *found == file;
  });
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
        "credentialPluginAllowlist is given, but credentialPluginPolicy is \"{}\", not "
        "\"Allowlist\"",
        policy.type);
  }
  return {};
}

base::Result<std::string> permitted_executable(const PluginPolicy& policy,
                                               const std::string& command,
                                               const std::string& path) {
  const std::string clean = cleaned(command);
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

}  // namespace dsdoctor::kube
