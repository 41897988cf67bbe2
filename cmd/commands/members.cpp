// SPDX-License-Identifier: Apache-2.0
#include "commands/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/printable.h"
#include "base/text.h"
#include "commands/answer_list.h"

namespace dsdoctor::cmd {
namespace {

base::Error no_context(const std::string& glob, const kube::Kubeconfig& kubeconfig) {
  base::Error error{base::ErrorKind::NotFound,
                    "",
                    fmt::format("no context matches \"{}\"", base::printable(glob)),
                    {}};
  std::vector<std::string> names;
  for (const auto& [name, entry] : kubeconfig.contexts) names.push_back(name);
  if (names.empty()) {
    error.hints.emplace_back("the kubeconfig has no contexts");
    return error;
  }
  if (base::is_foreign_glob(glob)) {
    error.hints.emplace_back("only * and [0-9] are wildcards; repeat --contexts for several globs");
  }
  const std::vector<std::string> near = base::near_words(glob, names);
  for (const std::string& name : near) {
    error.hints.push_back(fmt::format("did you mean: {}", base::printable(name)));
  }
  if (near.empty()) {
    error.hints.push_back(fmt::format("the contexts are: {}", base::listed(names)));
  }
  return error;
}

/// The names of the contexts that a glob selects. Errors: NotFound.
base::Result<std::vector<std::string>> selected(const SourceOptions& source,
                                                const kube::Kubeconfig& kubeconfig) {
  std::vector<std::string> globs = source.contexts;
  if (source.all_contexts) globs = {"*"};
  std::map<std::string, bool> chosen;  // sorted by name
  for (const std::string& glob : globs) {
    bool has_match = false;
    for (const auto& [name, entry] : kubeconfig.contexts) {
      if (!base::matches_glob(glob, name)) continue;
      has_match = true;
      chosen[name] = true;
    }
    if (!has_match) return no_context(glob, kubeconfig);
  }
  std::vector<std::string> result;
  result.reserve(chosen.size());
  for (const auto& [name, is_chosen] : chosen) result.push_back(name);
  return result;
}

/// The server of a context, the proxy, and the namespace of its question.
using Asked = std::tuple<std::string, std::string, std::string>;

Asked asked_by(const std::string& name, const SourceOptions& source,
               const kube::Kubeconfig& kubeconfig) {
  const kube::ContextEntry& context = kubeconfig.contexts.at(name);
  const auto cluster = kubeconfig.clusters.find(context.cluster);
  // A context of an unknown cluster is one of its own: its answer is an error.
  if (cluster == kubeconfig.clusters.end()) return {"", name, ""};
  const bool has_scope = source.connection.all_namespaces || !source.connection.ns.empty();
  return {cluster->second.server, cluster->second.proxy_url, has_scope ? "" : context.ns};
}

base::Result<Members> contexts_of(const SourceOptions& source, const Context& ctx) {
  auto loaded = kube::load_kubeconfig(source.connection.kubeconfig, ctx.environment);
  if (!loaded) return loaded.error();
  Members result;
  result.kubeconfig = std::make_shared<const kube::Kubeconfig>(std::move(*loaded));
  const auto names = selected(source, *result.kubeconfig);
  if (!names) return names.error();
  std::map<Asked, std::vector<std::string>> alike;  // the first one is read
  for (const std::string& name : *names) {
    std::vector<std::string>& same = alike[asked_by(name, source, *result.kubeconfig)];
    same.push_back(name);
    if (same.size() > 1) continue;
    Member member{name, source};
    member.source.contexts.clear();
    member.source.all_contexts = false;
    member.source.connection.context = name;
    result.all.push_back(std::move(member));
  }
  for (const auto& [asked, same] : alike) {
    if (same.size() == 1) continue;
    const std::vector<std::string> others(same.begin() + 1, same.end());
    result.notes.push_back(fmt::format("{} {} the same server as {}: read once",
                                       base::listed(others), others.size() == 1 ? "has" : "have",
                                       same.front()));
  }
  return result;
}

}  // namespace

base::Result<Members> members_of(const SourceOptions& source, const Context& ctx) {
  if (source.reads_contexts()) return contexts_of(source, ctx);
  const auto inputs = separate_inputs(source.files);
  if (!inputs) return inputs.error();
  Members result;
  result.all.reserve(inputs->size());
  for (const std::string& input : *inputs) {
    Member member{input, source};
    member.source.files = {input};
    member.source.by_file = false;
    result.all.push_back(std::move(member));
  }
  return result;
}

std::vector<std::string> without_common_folder(std::vector<std::string> names) {
  if (names.size() < 2) return names;
  const auto [least, greatest] = std::ranges::minmax_element(names);
  const auto differ = std::ranges::mismatch(*least, *greatest);
  const auto common = static_cast<std::size_t>(differ.in1 - least->begin());
  const std::size_t slash = std::string_view(*least).substr(0, common).rfind('/');
  if (slash == std::string_view::npos) return names;
  for (std::string& name : names) name.erase(0, slash + 1);
  return names;
}

}  // namespace dsdoctor::cmd
