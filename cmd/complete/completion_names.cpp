// SPDX-License-Identifier: Apache-2.0
#include "complete/completion_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/resolve_connection.h"
#include "question/version.h"
#include "source/name_lookup.h"

namespace dsdoctor::cmd {
namespace {

using Strings = std::vector<std::string>;

/// Characters that candidates may contain besides letters, digits and `._-`.
constexpr std::string_view of_taints = ":/";     // key:effect, the key with a prefix
constexpr std::string_view of_contexts = ":/@";  // used by cloud providers

/// Reports whether a name is safe: shells insert the chosen name unquoted, so no candidate may be
/// executable syntax or an option.
bool may_be_offered(std::string_view name, std::string_view also) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [&](char c) {
    return base::is_alphanumeric(c) || std::string_view("._-").find(c) != std::string_view::npos ||
           also.find(c) != std::string_view::npos;
  });
}

Strings offered(Strings names, std::string_view also) {
  std::erase_if(names, [&](const std::string& name) { return !may_be_offered(name, also); });
  return names;
}

/// Reads the cluster in files or in the demo; null if it cannot be read. Standard input is left to
/// the command.
std::optional<source::Snapshot> offline(const SourceOptions& source, Context& ctx) {
  if (!source.demo && std::ranges::find(source.files, "-") != source.files.end())
    return std::nullopt;
  auto snapshot = offline_source(source, ctx)->load({source.connection.ns, {}, "", false, false});
  if (!snapshot) return std::nullopt;
  return std::move(*snapshot);
}

bool is_looked_at(const model::Text& ns, const SourceOptions& source) {
  const std::string& asked = source.connection.ns;
  return source.connection.all_namespaces || asked.empty() || ns == asked;
}

/// The names of one kind of entry in the merged kubeconfig.
template <typename Map>
Strings configured(const SourceOptions& source, const kube::Environment& environment,
                   Map kube::Kubeconfig::*entries) {
  Strings names;
  const auto config = kube::load_kubeconfig(source.connection.kubeconfig, environment);
  if (!config) return names;
  for (const auto& [name, entry] : (*config).*entries) names.push_back(name);
  return offered(std::move(names), of_contexts);
}

}  // namespace

SourceNames::SourceNames(Context& ctx) : ctx_(ctx), environment_(ctx.environment) {
  environment_.stdin_is_terminal = false;
}

template <typename Offline, typename Live>
Strings SourceNames::ask(const SourceOptions& source, Offline from_snapshot, Live from_cluster,
                         std::string_view also) {
  if (!reads_cluster(source)) {
    const auto snapshot = offline(source, ctx_);
    failed_ = failed_ || !snapshot;
    if (!snapshot) return {};
    const std::set<std::string> names = from_snapshot(snapshot->cluster);
    return offered({names.begin(), names.end()}, also);
  }
  auto connection = kube::resolve_connection(source.connection, environment_);
  failed_ = failed_ || !connection;
  if (!connection) return {};
  const std::string ns = source.connection.all_namespaces ? std::string() : connection->ns;
  source::NameLookup lookup(std::move(*connection), environment_, kube::Clock::system(),
                            version_number);
  Strings names = from_cluster(lookup, ns);
  failed_ = failed_ || lookup.has_failed();
  return offered(std::move(names), also);
}

Strings SourceNames::daemon_sets(const SourceOptions& source) {
  return ask(
      source,
      [&](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& ds : cluster.daemon_sets) {
          if (is_looked_at(ds.meta.ns, source)) names.insert(std::string(ds.meta.name));
        }
        return names;
      },
      [](source::NameLookup& lookup, const std::string& ns) { return lookup.daemon_sets(ns); });
}

Strings SourceNames::pods(const SourceOptions& source) {
  return ask(
      source,
      [&](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& pod : cluster.pods) {
          const bool of_daemon_set =
              pod.meta.controller && model::is_daemon_set(*pod.meta.controller);
          if (of_daemon_set && is_looked_at(pod.meta.ns, source)) {
            names.insert(std::string(pod.meta.name));
          }
        }
        return names;
      },
      [](source::NameLookup& lookup, const std::string& ns) { return lookup.pods(ns); });
}

Strings SourceNames::taints(const SourceOptions& source, const std::string& node) {
  return ask(
      source,
      [&](const model::Cluster& cluster) {
        const model::Node* found = model::find_node(cluster, node);
        const Strings taints = found == nullptr ? Strings() : source::taint_words(*found);
        return std::set<std::string>(taints.begin(), taints.end());
      },
      [&](source::NameLookup& lookup, const std::string&) { return lookup.taints(node); },
      of_taints);
}

Strings SourceNames::nodes(const SourceOptions& source) {
  return ask(
      source,
      [](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& node : cluster.nodes) names.insert(std::string(node.meta.name));
        return names;
      },
      [](source::NameLookup& lookup, const std::string&) { return lookup.nodes(); });
}

Strings SourceNames::namespaces(const SourceOptions& source) {
  SourceOptions everywhere = source;
  everywhere.connection.ns.clear();
  return ask(
      everywhere,
      [](const model::Cluster& cluster) {
        std::set<std::string> names;
        for (const auto& ds : cluster.daemon_sets) names.insert(std::string(ds.meta.ns));
        return names;
      },
      [](source::NameLookup& lookup, const std::string&) { return lookup.namespaces(); });
}

Strings SourceNames::contexts(const SourceOptions& source) {
  return configured(source, environment_, &kube::Kubeconfig::contexts);
}

Strings SourceNames::clusters(const SourceOptions& source) {
  return configured(source, environment_, &kube::Kubeconfig::clusters);
}

Strings SourceNames::users(const SourceOptions& source) {
  return configured(source, environment_, &kube::Kubeconfig::users);
}

}  // namespace dsdoctor::cmd
