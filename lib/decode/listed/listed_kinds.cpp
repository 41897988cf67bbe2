// SPDX-License-Identifier: Apache-2.0
#include "decode/listed/listed_kinds.h"

#include <algorithm>

#include "model/fields.h"

namespace dsdoctor::decode {

void ListedKinds::note(Kind kind, std::string_view ns) {
  if (open_.empty()) return;
  Names& names = open_.back()[kind];
  if (!names.contains(ns)) names.emplace(ns);
}

/// Adds the namespaces of earlier pages of the same list, which is complete now.
void ListedKinds::add_pages_before(std::map<Kind, Names>& kinds, const std::string& version) {
  if (version.empty()) return;
  std::erase_if(cuts_, [&](Cut& cut) {
    const auto at = kinds.find(cut.kind);
    if (at == kinds.end() || cut.version != version) return false;
    at->second.merge(cut.namespaces);
    return true;
  });
}

/// Keeps the kinds of a page that is not the last one as incomplete, and removes them from `kinds`.
/// Kinds of which the last page was read before stay, with the namespaces of the other pages.
void ListedKinds::keep_cuts(std::map<Kind, Names>& kinds, const ListPage& page,
                            std::string_view file) {
  for (auto at = kinds.begin(); at != kinds.end();) {
    auto& [kind, names] = *at;
    if (const auto last = ended_.find({kind, page.version}); last != ended_.end()) {
      names.insert(last->second.begin(), last->second.end());
      ++at;
      continue;
    }
    cuts_.push_back({kind, std::string(file), page.remaining, page.version, std::move(names)});
    at = kinds.erase(at);
  }
}

bool ListedKinds::is_cut(Kind kind) const {
  return std::ranges::find(cuts_, kind, &Cut::kind) != cuts_.end();
}

bool ListedKinds::was_listed(Kind kind) const {
  const Where& where = listed_[static_cast<std::size_t>(kind)];
  return where.everywhere || !where.namespaces.empty() || is_cut(kind);
}

bool ListedKinds::lists_alone(Kind kind) const {
  const auto index = static_cast<std::size_t>(kind);
  const Where& where = listed_[index];
  return !missed_[index] && !with_others_[index] && !is_cut(kind) &&
         (where.everywhere || !where.namespaces.empty());
}

void ListedKinds::end(std::optional<Kind> of, std::string_view ns, const ListPage& page,
                      std::string_view file) {
  std::map<Kind, Names> kinds = std::move(open_.back());
  open_.pop_back();
  if (of) kinds[*of];
  if (!page.is_last()) keep_cuts(kinds, page, file);
  if (kinds.empty()) return;
  add_pages_before(kinds, page.version);
  for (const auto& [kind, names] : kinds) {
    if (!page.version.empty()) ended_[{kind, page.version}] = names;
  }
  std::set<std::string_view> found;
  for (const auto& [kind, names] : kinds) {
    if (!is_cluster_scoped(kind)) found.insert(names.begin(), names.end());
  }
  // A list of all namespaces has objects of several.
  const std::string_view only = found.size() == 1 ? *found.begin() : ns;
  const bool of_one = found.size() <= 1 && !only.empty();
  for (const auto& [kind, names] : kinds) {
    if (kinds.size() > 1) with_others_[static_cast<std::size_t>(kind)] = true;
    Where& where = listed_[static_cast<std::size_t>(kind)];
    if (kind == Kind::Pod && names.size() == 1) {
      where.namespaces.insert(*names.begin());
    } else if (is_cluster_scoped(kind) || !of_one) {
      where.everywhere = true;
    } else {
      where.namespaces.emplace(only);
    }
  }
}

bool ListedKinds::in(Kind kind, const std::set<std::string_view>& namespaces) const {
  if (missed_[static_cast<std::size_t>(kind)] || is_cut(kind)) return false;
  const Where& where = listed_[static_cast<std::size_t>(kind)];
  if (where.everywhere) return true;
  return !where.namespaces.empty() && std::ranges::all_of(namespaces, [&](std::string_view ns) {
    return where.namespaces.contains(ns);
  });
}

model::Known ListedKinds::known(const model::Cluster& cluster) const {
  std::set<std::string_view> of_daemon_sets;
  for (const model::DaemonSet& ds : cluster.daemon_sets) of_daemon_sets.insert(ds.meta.ns);
  std::set<std::string_view> of_all;
  model::description::each_list(cluster, [&](const auto& list, const auto& /*described*/) {
    for (const auto& object : list) of_all.insert(object.meta.ns);
  });
  for (const model::Namespace& ns : cluster.namespaces) of_all.insert(ns.meta.name);
  of_all.erase("");
  const auto around = [&](Kind kind) { return in(kind, of_daemon_sets); };
  model::Known known;
  known.events = around(Kind::Event);
  known.namespaces = around(Kind::Namespace);
  known.resource_quotas = around(Kind::ResourceQuota);
  known.limit_ranges = around(Kind::LimitRange);
  known.priority_classes = around(Kind::PriorityClass);
  known.runtime_classes = around(Kind::RuntimeClass);
  known.service_accounts = around(Kind::ServiceAccount);
  known.claims = around(Kind::PersistentVolumeClaim) && around(Kind::PersistentVolume);
  known.storage_classes = around(Kind::StorageClass);
  known.csi_nodes = around(Kind::CsiNode);
  known.device_classes = around(Kind::DeviceClass);
  known.device_taints =
      around(Kind::DeviceTaintRule) && around(Kind::ResourceClaim) && around(Kind::ResourceSlice);
  known.disruption_budgets = around(Kind::PodDisruptionBudget);
  known.pod_groups = around(Kind::PodGroup);
  known.pod_group_members = around(Kind::Pod);
  known.leases = in(Kind::Lease, {"kube-system"});
  known.roles = around(Kind::ClusterRole) && around(Kind::ClusterRoleBinding);
  known.revisions = around(Kind::ControllerRevision);
  known.daemon_sets = in(Kind::DaemonSet, of_all);
  known.every_daemon_set = known.daemon_sets;
  known.own_daemon_set_list = known.daemon_sets && lists_alone(Kind::DaemonSet);
  return known;
}

}  // namespace dsdoctor::decode
