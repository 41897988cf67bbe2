#include "decode/cluster/merge.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

/// resourceVersions are opaque by contract and growing integers in fact; of two that are no
/// integers neither is newer.
bool is_older(const model::Text& a, const model::Text& b) {
  if (!base::is_number(a) || !base::is_number(b)) return false;
  return std::tuple(a.view().size(), a.view()) < std::tuple(b.view().size(), b.view());
}

/// Sorts by (namespace, name) and leaves one of each: the newest, of equally new ones the last.
template <typename Object>
void sort_unique(std::vector<Object>& objects) {
  const auto key = [](const Object& object) {
    return std::tuple(object.meta.ns.view(), object.meta.name.view());
  };
  std::ranges::stable_sort(objects, {}, key);
  std::vector<Object> kept;
  kept.reserve(objects.size());
  for (Object& object : objects) {
    if (kept.empty() || key(kept.back()) != key(object)) {
      kept.push_back(std::move(object));
    } else if (!is_older(object.meta.resource_version, kept.back().meta.resource_version)) {
      kept.back() = std::move(object);
    }
  }
  objects = std::move(kept);
}

/// Calls `apply` with each list of objects, given as a pointer to member.
template <typename Apply>
void for_each_list(Apply&& apply) {
  using model::Cluster;
  apply(&Cluster::nodes);
  apply(&Cluster::daemon_sets);
  apply(&Cluster::pods);
  apply(&Cluster::revisions);
  apply(&Cluster::events);
  apply(&Cluster::namespaces);
  apply(&Cluster::resource_quotas);
  apply(&Cluster::limit_ranges);
  apply(&Cluster::priority_classes);
  apply(&Cluster::runtime_classes);
  apply(&Cluster::service_accounts);
  apply(&Cluster::claims);
  apply(&Cluster::volumes);
  apply(&Cluster::storage_classes);
  apply(&Cluster::csi_nodes);
  apply(&Cluster::leases);
  apply(&Cluster::cluster_roles);
  apply(&Cluster::cluster_role_bindings);
}

}  // namespace

void sort_unique(model::Cluster& cluster) {
  for_each_list([&](auto list) { sort_unique(cluster.*list); });
}

void merge(model::Cluster& into, std::vector<model::Cluster> more) {
  for_each_list([&](auto list) {
    bool added = false;
    for (model::Cluster& part : more) {
      if ((part.*list).empty()) continue;
      std::ranges::move(part.*list, std::back_inserter(into.*list));
      added = true;
    }
    if (added) sort_unique(into.*list);
  });
}

}  // namespace dsdoctor::decode
