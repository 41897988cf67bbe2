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

template <typename Map>
Strings keys_of(const Map& map) {
  Strings keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
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
  const auto config = kube::load_kubeconfig(options.source.connection.kubeconfig, environment_);
  return config ? keys_of(config->contexts) : Strings();
}

Strings SourceNames::clusters(const AnswerOptions& options) {
  const auto config = kube::load_kubeconfig(options.source.connection.kubeconfig, environment_);
  return config ? keys_of(config->clusters) : Strings();
}

Strings SourceNames::users(const AnswerOptions& options) {
  const auto config = kube::load_kubeconfig(options.source.connection.kubeconfig, environment_);
  return config ? keys_of(config->users) : Strings();
}

}  // namespace dsdoctor::cmd
