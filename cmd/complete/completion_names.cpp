#include "complete/completion_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "kube/config/connection.h"
#include "kube/config/kubeconfig.h"
#include "question/version.h"
#include "source/name_lookup.h"

namespace dsdoctor::cmd {
namespace {

using Strings = std::vector<std::string>;

/// The cluster in files or in the demo; null where it cannot be read. Standard input belongs to the
/// command, not to its completion.
std::optional<source::Snapshot> offline(const AnswerOptions& options, Context& ctx) {
  const SourceOptions& from = options.source;
  if (!from.demo && std::ranges::find(from.files, "-") != from.files.end()) return std::nullopt;
  auto snapshot = offline_source(from, ctx)->load({from.connection.ns, {}, "", false, false});
  if (!snapshot) return std::nullopt;
  return std::move(*snapshot);
}

/// The names of one kind of entry in the merged kubeconfig.
template <typename Map>
Strings configured(const AnswerOptions& options, const kube::Environment& environment,
                   Map kube::Kubeconfig::*entries) {
  Strings names;
  const auto config = kube::load_kubeconfig(options.source.connection.kubeconfig, environment);
  if (!config) return names;
  for (const auto& [name, entry] : (*config).*entries) names.push_back(name);
  return names;
}

}  // namespace

SourceNames::SourceNames(Context& ctx) : ctx_(ctx), environment_(ctx.environment) {
  environment_.stdin_is_terminal = false;
}

template <typename Offline, typename Live>
Strings SourceNames::ask(const AnswerOptions& options, Offline from_snapshot, Live from_cluster) {
  if (!reads_cluster(options.source)) {
    const auto snapshot = offline(options, ctx_);
    if (!snapshot) return {};
    const std::set<std::string> names = from_snapshot(snapshot->cluster);
    return {names.begin(), names.end()};
  }
  auto connection = kube::resolve_connection(options.source.connection, environment_);
  if (!connection) return {};
  const std::string ns = connection->ns;
  source::NameLookup lookup(std::move(*connection), environment_, kube::Clock::system(),
                            version_number);
  return from_cluster(lookup, ns);
}

Strings SourceNames::daemon_sets(const AnswerOptions& options) {
  return ask(
      options,
      [&](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& ds : cluster.daemon_sets) {
          const std::string& ns = options.source.connection.ns;
          if (ns.empty() || ds.meta.ns == ns) names.insert(std::string(ds.meta.name));
        }
        return names;
      },
      [](source::NameLookup& lookup, const std::string& ns) { return lookup.daemon_sets(ns); });
}

Strings SourceNames::nodes(const AnswerOptions& options) {
  return ask(
      options,
      [](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& node : cluster.nodes) names.insert(std::string(node.meta.name));
        return names;
      },
      [](source::NameLookup& lookup, const std::string&) { return lookup.nodes(); });
}

Strings SourceNames::namespaces(const AnswerOptions& options) {
  AnswerOptions everywhere = options;
  everywhere.source.connection.ns.clear();
  return ask(
      everywhere,
      [](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& ds : cluster.daemon_sets) names.insert(std::string(ds.meta.ns));
        return names;
      },
      [](source::NameLookup& lookup, const std::string&) { return lookup.namespaces(); });
}

Strings SourceNames::contexts(const AnswerOptions& options) {
  return configured(options, environment_, &kube::Kubeconfig::contexts);
}

Strings SourceNames::clusters(const AnswerOptions& options) {
  return configured(options, environment_, &kube::Kubeconfig::clusters);
}

Strings SourceNames::users(const AnswerOptions& options) {
  return configured(options, environment_, &kube::Kubeconfig::users);
}

}  // namespace dsdoctor::cmd
