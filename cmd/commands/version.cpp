// SPDX-License-Identifier: Apache-2.0
#include "question/version.h"

#include <fmt/format.h>

#include <string>

#include "commands/commands.h"
#include "commands/report_file.h"
#include "kube/os/platform.h"
#include "model/release.h"
#include "render/data/json.h"
#include "render/data/yaml.h"

namespace dsdoctor::cmd {

render::Json version_json() {
  render::Json document = {{"clientVersion",
                            {{"gitVersion", version},
                             {"gitCommit", git_commit},
                             {"compiler", __VERSION__},
                             {"platform", kube::platform()}}}};
  document["kubernetesRules"]["newestKnown"] = model::full_text(model::newest_known_release);
  for (const auto& [name, debian_version] : bundled_libraries) {
    document["bundledLibraries"][std::string(name)] = debian_version;
  }
  return document;
}

ExitCode run(const VersionOptions& options, Context& ctx) {
  const render::Json document = version_json();
  if (options.format == OutputFormat::Json) {
    ctx.out << render::json_text(document);
  } else if (options.format == OutputFormat::Yaml) {
    ctx.out << render::yaml_text(document);
  } else {
    ctx.out << fmt::format("Client Version: {}\n", version);
    const std::string_view commit = git_commit;
    if (!commit.empty()) ctx.out << fmt::format("Git Commit: {}\n", commit);
    ctx.out << fmt::format("Newest Kubernetes Rules: v{}\n",
                           model::full_text(model::newest_known_release));
  }
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
