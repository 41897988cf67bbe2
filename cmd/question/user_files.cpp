// SPDX-License-Identifier: Apache-2.0
#include "question/user_files.h"

#include <fmt/format.h>

#include <utility>

#include "decode/objects/user_config.h"
#include "kube/os/files.h"
#include "kube/os/platform.h"
#include "line/attention.h"

namespace dsdoctor::cmd {

std::string user_file(const kube::Environment& environment, std::string_view name) {
  const std::string configuration = environment.get("XDG_CONFIG_HOME");
  // The XDG specification requires relative paths to be ignored.
  if (kube::is_absolute(configuration)) return fmt::format("{}/dsdoctor/{}", configuration, name);
  const std::string home = kube::home_folder(environment);
  return home.empty() ? "" : fmt::format("{}/.config/dsdoctor/{}", home, name);
}

decode::UserConfig user_config(const kube::Environment& environment,
                               std::vector<std::string>& warnings) {
  constexpr std::size_t most_bytes = 1u << 20;
  const std::string path = user_file(environment, "config.yaml");
  if (path.empty()) return {};
  const auto content =
      kube::read_file(kube::resolve_path(path, "/"), most_bytes, kube::short_patience);
  if (!content && content.error().kind == base::ErrorKind::NotFound) return {};
  std::vector<model::Warning> partial;
  auto config = content ? decode::read_user_config(*content, path, partial)
                        : base::Result<decode::UserConfig>(content.error());
  if (!config) {
    warnings.push_back(base::to_string(config.error()) + "; the file is ignored");
    return {};
  }
  for (const auto& [where, what] : partial) warnings.push_back(fmt::format("{}: {}", where, what));
  return *std::move(config);
}

void add_user_config(const kube::Environment& environment, diagnosis::Attention& attention,
                     std::vector<std::string>& warnings) {
  const decode::UserConfig config = user_config(environment, warnings);
  for (const decode::UserConfig::Line& line : config.ignore) {
    auto accepted = parse_ignored(line.text);
    if (accepted) {
      attention.ignored.push_back(std::move(*accepted));
    } else {
      warnings.push_back(
          fmt::format("{}: \"{}\": {}", line.where, line.text, accepted.error().what));
    }
  }
}

}  // namespace dsdoctor::cmd
