// SPDX-License-Identifier: Apache-2.0
#include "question/version.h"

#include <fmt/format.h>

#include <string>

#include "commands/commands.h"
#include "kube/os/platform.h"
#include "model/release.h"
#include "render/data/json.h"
#include "render/data/yaml.h"

namespace dsdoctor::cmd {

ExitCode run(const VersionOptions& options, Context& ctx) {
  const std::string newest_rules = model::full_text(model::newest_known_release);
  render::Json document = {{"clientVersion",
                            {{"gitVersion", version},
                             {"gitCommit", git_commit},
                             {"compiler", __VERSION__},
                             {"platform", kube::platform()}}}};
  document["kubernetesRules"]["newestKnown"] = newest_rules;
  for (const auto& [name, debian_version] : bundled_libraries) {
    document["bundledLibraries"][std::string(name)] = debian_version;
  }
  if (options.format == OutputFormat::Json) {
    ctx.out << render::json_text(document);
  } else if (options.format == OutputFormat::Yaml) {
    ctx.out << render::yaml_text(document);
  } else {
    ctx.out << fmt::format("Client Version: {}\n", version);
    const std::string_view commit = git_commit;
    if (!commit.empty()) ctx.out << fmt::format("Git Commit: {}\n", commit);
    ctx.out << fmt::format("Newest Kubernetes Rules: v{}\n", newest_rules);
  }
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
