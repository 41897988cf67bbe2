// SPDX-License-Identifier: Apache-2.0
#include "question/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/text.h"
#include "diagnosis/causes/control/identity_findings.h"
#include "model/fields.h"
#include "placement/label_selector.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::cmd {
namespace {

bool satisfies_all(const model::Labels& labels, const Requirements& requirements) {
  return std::ranges::all_of(requirements, [&](const auto& requirement) {
    return placement::satisfies(labels, requirement);
  });
}

/// Adds hints about the leftovers of a deleted DaemonSet, and how to restore it.
void add_remains(const model::Cluster& cluster, const std::string& ns, const std::string& name,
                 const render::Address& address, std::vector<std::string>& hints) {
  render::Presentation style;
  style.address = address;
  for (const diagnosis::Finding& finding : diagnosis::absence_findings(cluster, ns, name)) {
    hints.push_back(render::text_of(finding.message));
    for (render::FixLine& line : render::lines_of_fix(finding.fix, style)) {
      hints.push_back(std::move(line.text));
    }
  }
}

/// A pod's name is its DaemonSet's with five more characters; the pod itself may be deleted.
bool is_pod_name_of(const std::string& name, const std::string& daemon_set) {
  constexpr std::size_t letters = 5;
  return name.size() == daemon_set.size() + 1 + letters && name.starts_with(daemon_set + "-") &&
         std::all_of(name.end() - letters, name.end(), base::is_alphanumeric);
}

std::vector<model::Omission> omissions_of(const source::Snapshot& snapshot,
                                          std::string_view resource) {
  std::vector<model::Omission> omissions = snapshot.omissions;
  std::erase_if(omissions,
                [&](const model::Omission& omission) { return omission.resource != resource; });
  return omissions;
}

/// The error with hints: similar names, and namespaces that have a DaemonSet with that name.
base::Error not_found(const std::string& name, const std::string& ns, const model::Cluster& cluster,
                      const source::Snapshot& snapshot, const render::Address& address) {
  std::vector<std::string> names_here;
  std::vector<std::string> hints;
  const auto consider = [&](std::string_view other_ns, std::string_view other_name) {
    if (ns.empty() || other_ns == ns) {
      names_here.emplace_back(other_name);
    } else if (other_name == name) {
      hints.push_back(fmt::format("found in namespace {}: use -n {}", other_ns, other_ns));
    }
  };
  for (const auto& ds : cluster.daemon_sets) consider(ds.meta.ns, ds.meta.name);
  for (const auto& [other_ns, other_name] : snapshot.other_daemon_sets) {
    consider(other_ns, other_name);
  }
  const auto owner = std::ranges::find_if(
      names_here, [&](const std::string& here) { return is_pod_name_of(name, here); });
  const auto near_names = owner == names_here.end() ? base::near_words(name, names_here)
                                                    : std::vector<std::string>{*owner};
  for (const std::string& near : near_names) {
    hints.push_back(fmt::format("did you mean: {}", near));
  }
  if (model::find_node(cluster, name) != nullptr) {
    hints.push_back(fmt::format("did you mean: node/{}", name));
  }
  const auto unread = omissions_of(snapshot, "daemonsets");
  if (unread.empty()) {
    add_remains(cluster, ns, name, address, hints);
  } else {  // it may exist
    std::ranges::move(render::omission_sentences(unread), std::back_inserter(hints));
  }
  const std::string place = ns.empty() ? "" : fmt::format(" in namespace \"{}\"", ns);
  return {base::ErrorKind::NotFound, "",
          fmt::format("daemonsets.apps \"{}\" not found{}", name, place), std::move(hints)};
}

/// The error for a node that was not read, with the reason.
base::Error node_not_read(const source::Snapshot& snapshot, const std::string& name) {
  base::Error error{base::ErrorKind::Unreadable, "",
                    fmt::format("nodes \"{}\" not read: no node could be read", name)};
  error.hints = render::omission_sentences(omissions_of(snapshot, "nodes"));
  return error;
}

/// Checks --node: the name of a node, or a glob that matches one.
base::Status check_node(const source::Snapshot& snapshot, const std::string& name) {
  const model::Cluster& cluster = snapshot.cluster;
  if (base::is_foreign_glob(name)) {
    return base::usage_error(fmt::format(
        "--node \"{}\": only * (any characters) and [0-9] (a digit) stand for others", name));
  }
  if (base::is_glob(name) && cluster.nodes_known) {
    const bool any = std::ranges::any_of(cluster.nodes, [&](const model::Node& node) {
      return base::matches_glob(name, node.meta.name);
    });
    if (any) return std::monostate();
    return base::Error{base::ErrorKind::NotFound, "",
                       fmt::format("no node matches --node \"{}\"", name)};
  }
  if (auto node = find_node(snapshot, name); !node) return node.error();
  return std::monostate();
}

}  // namespace

Picked pick_daemon_sets(const model::Cluster& cluster, const DaemonSetChoice& choice,
                        const source::Snapshot& snapshot) {
  const std::string& ns = choice.ns;
  Picked result;
  std::unordered_set<const model::DaemonSet*> picked;
  const auto add = [&](const std::string* name) {
    bool found = false;
    for (const auto& ds : cluster.daemon_sets) {
      const bool named = name == nullptr || ds.meta.name == *name;
      const bool in_scope = ns.empty() || ds.meta.ns == ns;
      if (!named || !in_scope || !satisfies_all(ds.meta.labels, choice.labels)) continue;
      found = true;
      if (picked.insert(&ds).second) result.daemon_sets.push_back(&ds);
    }
    return found;
  };
  if (choice.names.empty()) add(nullptr);
  for (const std::string& name : choice.names) {
    if (add(&name) || choice.ignore_not_found) continue;
    result.not_found.push_back(not_found(name, ns, cluster, snapshot, choice.address));
  }
  if (choice.full_names.empty()) return result;
  std::erase_if(result.daemon_sets, [&](const model::DaemonSet* ds) {
    return !choice.full_names.contains({ds->meta.ns.str(), ds->meta.name.str()});
  });
  return result;
}

std::optional<base::Error> namespace_not_found(const model::Cluster& cluster,
                                               const std::string& ns) {
  std::set<std::string> names;
  model::description::each_list(cluster, [&](const auto& list, const auto& /*described*/) {
    for (const auto& object : list) names.insert(object.meta.ns.str());
  });
  for (const model::Namespace& object : cluster.namespaces) names.insert(object.meta.name.str());
  names.erase("");
  if (names.contains(ns)) return std::nullopt;
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("namespaces \"{}\" not found", ns)};
  for (const std::string& near : base::near_words(ns, {names.begin(), names.end()})) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  return error;
}

base::Result<std::function<bool(const model::Node&)>> node_filter(
    const ScopeOptions& scope, const source::Snapshot& snapshot) {
  const model::Cluster& cluster = snapshot.cluster;
  using Filter = std::function<bool(const model::Node&)>;
  const Requirements& labels = scope.node_selector.value;
  for (const std::string& name : scope.nodes) {
    if (auto there = check_node(snapshot, name); !there) return there.error();
  }
  if (scope.nodes.empty() && labels.empty()) return Filter();
  Filter filter = [names = scope.nodes, labels](const model::Node& node) {
    const bool named = names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
                         return base::matches_glob(name, node.meta.name);
                       });
    return named && satisfies_all(node.meta.labels, labels);
  };
  // Without a selected node there is no verdict, least of all a healthy one.
  if (cluster.nodes_known && std::ranges::none_of(cluster.nodes, filter)) {
    return base::Error{
        base::ErrorKind::NotFound, "",
        fmt::format("no node{} matches --node-selector \"{}\"",
                    scope.nodes.empty() ? "" : " of --node", scope.node_selector.text)};
  }
  return filter;
}

base::Result<const model::Node*> find_node(const source::Snapshot& snapshot,
                                           const std::string& name) {
  const model::Cluster& cluster = snapshot.cluster;
  if (const model::Node* node = model::find_node(cluster, name)) return node;
  if (!cluster.nodes_known) return node_not_read(snapshot, name);
  std::vector<std::string> names;
  for (const model::Node& node : cluster.nodes) names.push_back(node.meta.name.str());
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("nodes \"{}\" not found", name)};
  for (const std::string& near : base::near_words(name, names)) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  return error;
}

}  // namespace dsdoctor::cmd
