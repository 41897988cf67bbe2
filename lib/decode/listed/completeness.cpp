// SPDX-License-Identifier: Apache-2.0
#include "decode/listed/completeness.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace dsdoctor::decode {
namespace {

using Names = std::set<std::string_view>;
using Owner = std::pair<std::string_view, std::string_view>;  // a DaemonSet's namespace and name

std::optional<Owner> owner_of(const model::Pod& pod) {
  if (!pod.meta.controller || !model::is_daemon_set(*pod.meta.controller)) return std::nullopt;
  return Owner(pod.meta.ns, pod.meta.controller->name);
}

/// The number of nodes with a pod of the DaemonSet according to its status.
std::int64_t counted_nodes(const model::DaemonSet& ds) {
  return ds.reported.current_number_scheduled + ds.reported.number_misscheduled;
}

/// Reports whether the status is for the current generation.
bool is_observed(const model::DaemonSet& ds) {
  return ds.observed_generation > 0 && ds.generation <= ds.observed_generation && !ds.meta.deleted;
}

// ---- pods

/// The pods that were read in namespaces without a complete list of pods.
class SinglePods {
 public:
  SinglePods(const model::Cluster& cluster, const Names& namespaces) {
    for (const model::Pod& pod : cluster.pods) {
      if (!namespaces.contains(pod.meta.ns)) continue;
      namespaces_.insert(pod.meta.ns);
      if (const auto owner = owner_of(pod)) ++pods_[*owner];
    }
  }

  /// Reports whether these are all pods of the DaemonSet according to its status. True without a
  /// status, which counts no pods. The status of another project's kind is not compared: pods of
  /// its namespace count as all of them.
  [[nodiscard]] bool are_all_of(const model::DaemonSet& ds) const {
    // The controller does not update the status of a DaemonSet that is being deleted.
    if (ds.other_kind || ds.meta.deleted) return namespaces_.contains(ds.meta.ns);
    const auto found = pods_.find(Owner(ds.meta.ns, ds.meta.name));
    return counted_nodes(ds) <= (found == pods_.end() ? 0 : found->second);
  }

 private:
  std::map<Owner, std::int64_t> pods_;
  Names namespaces_;  // with at least one pod
};

std::vector<model::Text> namespaces_without_pods(const model::Cluster& cluster,
                                                 const ListedKinds& listed) {
  Names unlisted;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    if (!listed.lists(Kind::Pod, ds.meta.ns)) unlisted.insert(ds.meta.ns);
  }
  if (unlisted.empty()) return {};
  const SinglePods pods(cluster, unlisted);
  std::vector<model::Text> result;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {  // by namespace
    if (!unlisted.contains(ds.meta.ns) || pods.are_all_of(ds)) continue;
    if (result.empty() || result.back() != ds.meta.ns) result.push_back(ds.meta.ns);
  }
  return result;
}

// ---- nodes

/// The nodes of one DaemonSet's pods.
struct Places {
  Names unread;           // nodes that were not read
  Names read;             // nodes that were read
  std::int64_t bare = 0;  // pods not bound; the status counts each on its target node

  [[nodiscard]] std::int64_t counted() const {
    return static_cast<std::int64_t>(read.size()) + bare;
  }
};

bool was_removed(const model::Cluster& cluster, std::string_view node) {
  return std::ranges::any_of(cluster.events, [&](const model::Event& event) {
    return event.kind == "Node" && event.name == node &&
           (event.reason == "RemovingNode" || event.reason == "DeletingNode");
  });
}

/// The places for DaemonSets with pods on nodes that were not read.
std::map<Owner, Places> places_of_pods(const model::Cluster& cluster) {
  std::map<Owner, Places> result;
  for (const model::Pod& pod : cluster.pods) {
    const auto owner = owner_of(pod);
    if (!owner || pod.node_name.empty()) continue;
    if (model::find_node(cluster, pod.node_name) != nullptr) continue;
    result[*owner].unread.insert(pod.node_name);
  }
  if (result.empty()) return result;
  for (const model::Pod& pod : cluster.pods) {
    const auto owner = owner_of(pod);
    if (!owner) continue;
    const auto found = result.find(*owner);
    if (found == result.end()) continue;
    Places& places = found->second;
    if (pod.node_name.empty()) {
      ++places.bare;
    } else if (!places.unread.contains(pod.node_name)) {
      places.read.insert(pod.node_name);
    }
  }
  return result;
}

/// Reports whether a status counts more nodes than were read.
bool lacks_counted_nodes(const model::Cluster& cluster) {
  return std::ranges::any_of(cluster.daemon_sets, [&](const model::DaemonSet& ds) {
    const std::int64_t nodes =
        ds.reported.desired_number_scheduled + ds.reported.number_misscheduled;
    return !ds.other_kind && is_observed(ds) &&
           nodes > static_cast<std::int64_t>(cluster.nodes.size());
  });
}

}  // namespace

std::vector<model::Text> unread_nodes(const model::Cluster& cluster) {
  const std::map<Owner, Places> places = places_of_pods(cluster);
  Names names;
  for (const auto& [owner, places_of_one] : places) {
    const model::DaemonSet* ds = model::find_daemon_set(cluster, owner.first, owner.second);
    if (ds == nullptr || !is_observed(*ds)) continue;
    if (counted_nodes(*ds) <= places_of_one.counted()) continue;
    names.insert(places_of_one.unread.begin(), places_of_one.unread.end());
  }
  std::erase_if(names, [&](std::string_view name) { return was_removed(cluster, name); });
  return {names.begin(), names.end()};
}

void settle_completeness(model::Cluster& cluster, const ListedKinds& listed) {
  auto without_pods = namespaces_without_pods(cluster, listed);
  if (cluster.pods_known) {
    cluster.namespaces_without_pods = std::move(without_pods);
  } else {
    // A list of mixed kinds without pods does not show whether pods were requested. If no status
    // counts a pod, there are none.
    cluster.pods_known = without_pods.empty();
  }
  if (!cluster.nodes_known) return;
  const bool is_listed = listed.lists(Kind::Node, "");
  cluster.all_nodes_known = unread_nodes(cluster).empty() && !listed.is_cut(Kind::Node) &&
                            (is_listed || !lacks_counted_nodes(cluster));
}

}  // namespace dsdoctor::decode
