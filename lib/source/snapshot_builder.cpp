// SPDX-License-Identifier: Apache-2.0
#include "source/snapshot_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "decode/cluster/merge.h"
#include "decode/listed/completeness.h"
#include "source/label_query.h"

namespace dsdoctor::source {
namespace {

using base::ErrorKind;
using kube::ListAnswer;

constexpr Lack no_nodes{"nodes", "cannot tell which nodes are eligible or miss a pod",
                        "list nodes (cluster scope)"};
constexpr Lack no_other_nodes{"nodes", "the counts are those of the nodes that were read",
                              "get nodes (cluster scope)"};
constexpr Lack no_pods{"pods", "cannot tell which nodes have a pod, only which nodes are eligible",
                       "list pods"};
constexpr Lack no_revisions{"controllerrevisions", "cannot tell which pods are outdated",
                            "list controllerrevisions.apps"};

/// Reports whether the read can continue without this part: after a 403, after a 404 for an
/// unserved resource, and after any server error about revisions, which matter little. All other
/// errors end the read.
bool is_gap(const kube::ApiFailure& failure, const Lack& lack) {
  if (failure.status == 0) return false;
  return &lack == &no_revisions || failure.error.kind == ErrorKind::Forbidden ||
         failure.error.kind == ErrorKind::NotFound;
}

}  // namespace

SnapshotBuilder::SnapshotBuilder(std::string ns) : ns_(std::move(ns)) {
  snapshot_.cluster.nodes_known = false;
  snapshot_.cluster.pods_known = false;
  snapshot_.cluster.revisions_known = false;
}

bool SnapshotBuilder::accept(ListAnswer& answer, const Lack& lack, const std::string& ns) {
  if (!answer.failure) {
    std::ranges::move(answer.warnings, std::back_inserter(snapshot_.warnings));
    return true;
  }
  if (is_gap(*answer.failure, lack)) {
    snapshot_.omissions.push_back(omission_of(*answer.failure, lack, ns));
  } else if (!error_) {
    error_ = answer.failure->error;
  }
  return false;
}

void SnapshotBuilder::add_nodes(ListAnswer answer) {
  if (!accept(answer, no_nodes, "")) return;
  snapshot_.cluster.nodes = std::move(answer.cluster.nodes);
  snapshot_.cluster.nodes_known = true;
}

void SnapshotBuilder::add_pods(ListAnswer answer, bool of_everyone) {
  if (!accept(answer, no_pods, ns_)) return;
  snapshot_.cluster.pods = std::move(answer.cluster.pods);
  snapshot_.cluster.pods_known = true;
  snapshot_.cluster.all_pods_known = of_everyone;
}

void SnapshotBuilder::add_pods(ListAnswer bound, ListAnswer unbound, const std::string& node) {
  if (!accept(bound, no_pods, ns_) || !accept(unbound, no_pods, ns_)) return;
  std::vector<model::Cluster> parts;
  parts.push_back(std::move(bound.cluster));
  parts.push_back(std::move(unbound.cluster));
  decode::merge(snapshot_.cluster, std::move(parts));
  snapshot_.cluster.pods_known = true;
  if (ns_.empty()) snapshot_.cluster.crowded_nodes = {model::Text(node)};
}

void SnapshotBuilder::add_revisions(ListAnswer answer) {
  if (!accept(answer, no_revisions, ns_)) return;
  snapshot_.cluster.revisions = std::move(answer.cluster.revisions);
  snapshot_.cluster.revisions_known = true;
  snapshot_.cluster.known.revisions = true;
}

void SnapshotBuilder::add_daemon_sets(std::vector<model::DaemonSet> found, const Query& query) {
  snapshot_.cluster.daemon_sets = std::move(found);
  snapshot_.cluster.known.daemon_sets = true;
  snapshot_.cluster.known.every_daemon_set =
      query.ns.empty() && query.names.empty() && query.selector.empty();
  snapshot_.cluster.known.own_daemon_set_list = query.names.empty() && query.selector.empty();
}

base::Error daemon_set_error(const kube::ApiFailure& failure, const Query& query) {
  base::Error error = failure.error;
  if (error.kind == ErrorKind::Forbidden && query.ns.empty() && error.hints.empty()) {
    error.hints.emplace_back(
        "try -n NAMESPACE: your RBAC permissions may cover single namespaces only");
  }
  if (failure.status == 404 && error.hints.empty()) {
    error.hints.emplace_back("check the server URL: every API server has DaemonSets");
  }
  return error;
}

std::string common_selector(const Query& query, const std::vector<model::DaemonSet>& found) {
  if (query.names.size() != 1 || found.size() != 1 || !found.front().selector) return {};
  return to_label_query(*found.front().selector).value_or("");
}

bool lacks_a_name(const Query& query, const std::vector<model::DaemonSet>& found) {
  return std::ranges::any_of(query.names, [&](const std::string& name) {
    return std::ranges::none_of(found, [&](const auto& ds) { return ds.meta.name == name; });
  });
}

std::vector<std::pair<std::string, std::string>> keep_named(
    const std::vector<std::string>& names, std::vector<model::DaemonSet>& daemon_sets) {
  std::vector<std::pair<std::string, std::string>> others;
  std::erase_if(daemon_sets, [&](const model::DaemonSet& ds) {
    if (std::ranges::find(names, ds.meta.name.view()) != names.end()) return false;
    others.emplace_back(ds.meta.ns, ds.meta.name);
    return true;
  });
  return others;
}

void add_unlisted_nodes(const ApiReads& reads, Snapshot& snapshot) {
  constexpr std::size_t most_asked = 10;
  model::Cluster& cluster = snapshot.cluster;
  if (!cluster.nodes_known || cluster.nodes.empty()) return;  // an empty list is a valid result
  const std::vector<model::Text> names = decode::unread_nodes(cluster);
  if (names.empty()) return;
  std::vector<model::Cluster> found;
  std::optional<model::Omission> omission;
  if (names.size() > most_asked) {
    omission = {no_other_nodes.resource, "", "Truncated",
                fmt::format("the list of nodes lacks {} nodes that run pods", names.size()),
                no_other_nodes.consequence};
  }
  for (std::size_t i = 0; i < std::min(most_asked, names.size()); ++i) {
    const std::string name = names[i].str();
    ListAnswer answer = reads.node(name);
    if (!answer.failure) {
      found.push_back(std::move(answer.cluster));
    } else if (!omission && !kube::is_absence(*answer.failure, "nodes", name)) {
      omission = omission_of(*answer.failure, no_other_nodes, "");
    }
  }
  decode::merge(cluster, std::move(found));
  if (!omission) return;
  cluster.all_nodes_known = false;
  snapshot.omissions.push_back(std::move(*omission));
}

}  // namespace dsdoctor::source
