// SPDX-License-Identifier: Apache-2.0
#include "scheduling/volumes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "placement/label_selector.h"
#include "placement/node_affinity.h"
#include "scheduling/quantity.h"

namespace dsdoctor::scheduling {
namespace {

constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";
constexpr std::string_view zone_labels[] = {
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"};

template <typename Object>
const Object* named(const std::vector<Object>& objects, std::string_view ns,
                    std::string_view name) {
  const auto key = [](const Object& object) {
    return std::tuple(object.meta.ns.view(), object.meta.name.view());
  };
  const auto at = std::ranges::lower_bound(objects, std::tuple(ns, name), {}, key);
  return at != objects.end() && key(*at) == std::tuple(ns, name) ? &*at : nullptr;
}

bool contains(const std::vector<model::Text>& texts, std::string_view text) {
  return std::ranges::any_of(texts, [&](const model::Text& t) { return t.view() == text; });
}

/// The cluster's pods are sorted by namespace.
std::span<const model::Pod> pods_of(const model::Cluster& cluster, std::string_view ns) {
  const auto of = [](const model::Pod& pod) { return pod.meta.ns.view(); };
  return {std::ranges::lower_bound(cluster.pods, ns, {}, of),
          std::ranges::upper_bound(cluster.pods, ns, {}, of)};
}

/// A volume's label may list several zones: "a__b".
bool lists_zone(std::string_view zones, std::string_view zone) {
  while (true) {
    const std::size_t end = zones.find("__");
    if (zones.substr(0, end) == zone) return true;
    if (end == std::string_view::npos) return false;
    zones.remove_prefix(end + 2);
  }
}

/// The node's value for a zone or region label of a volume; for the deprecated label names, the
/// newer name is used if the node does not have the older one.
const model::Text* zone_of(const model::Node& node, std::string_view label) {
  if (const model::Text* value = node.meta.labels.find(label)) return value;
  if (label == zone_labels[2]) return node.meta.labels.find(zone_labels[0]);
  if (label == zone_labels[3]) return node.meta.labels.find(zone_labels[1]);
  return nullptr;
}

bool allows(const std::vector<model::NodeSelectorTerm>& topologies, const model::Node& node) {
  const auto holds = [&](const model::NodeSelectorTerm& term) {
    return std::ranges::all_of(term.match_expressions, [&](const auto& requirement) {
      return placement::satisfies(node.meta.labels, requirement);
    });
  };
  return topologies.empty() || std::ranges::any_of(topologies, holds);
}

/// Whether each term has an In requirement that the node does not meet. A fast check that excludes
/// most volumes of other nodes before the terms are evaluated.
bool is_bound_elsewhere(const model::NodeSelector& affinity, const model::Node& node) {
  const auto lacks = [&](const model::NodeSelectorRequirement& requirement) {
    if (requirement.op != "In") return false;
    const model::Text* value = node.meta.labels.find(requirement.key);
    return value == nullptr || !contains(requirement.values, *value);
  };
  return std::ranges::all_of(affinity.terms, [&](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions, lacks);
  });
}

/// Whether a volume is free and large enough for the claim and can be used on the node. Ignores the
/// claim's selector, which could only exclude further volumes.
bool suits(const model::PersistentVolume& volume, const model::PersistentVolumeClaim& claim,
           const model::Node& node) {
  const bool reserved = !volume.claim_name.empty();
  const bool ours = volume.claim_ns == claim.meta.ns && volume.claim_name == claim.meta.name;
  if (reserved ? !ours : volume.phase != "Available" && !volume.phase.empty()) return false;
  if (volume.storage_class != claim.storage_class) return false;
  if (volume.node_affinity && (is_bound_elsewhere(*volume.node_affinity, node) ||
                               !placement::NodeAffinity(*volume.node_affinity).matches(node))) {
    return false;
  }
  const auto size = [](const model::Labels& amounts) {
    const model::Text* text = amounts.find("storage");
    return text ? Quantity::parse(*text).value_or(Quantity()) : Quantity();
  };
  return size(volume.capacity) >= size(claim.requests) &&
         std::ranges::all_of(claim.access_modes, [&](const model::Text& mode) {
           return contains(volume.access_modes, mode);
         });
}

/// Finds the problems of a pod's volumes on a node.
class Volumes {
 public:
  Volumes(const model::Pod& pod, const Surroundings& around) : pod_(pod), around_(around) {}

  [[nodiscard]] std::vector<VolumeProblem> take() && {
    for (const model::Volume& volume : pod_.spec->volumes) {
      const std::string claim = claim_of(pod_, volume);
      if (claim.empty()) {
        check_disk(volume);
      } else {
        check_claim(claim, volume.kind == "ephemeral");
      }
    }
    check_limits();  // the known volumes suffice to find that a limit is reached
    return std::move(problems_);
  }

 private:
  VolumeProblem& add(VolumeFault fault, std::string claim, std::string_view object = {},
                     std::string_view detail = {}) {
    problems_.push_back({fault, std::move(claim), std::string(object), std::string(detail)});
    return problems_.back();
  }

  void check_claim(const std::string& name, bool ephemeral) {
    const auto* claim = named(around_.cluster.claims, pod_.meta.ns, name);
    const bool knows_all = around_.cluster.known.claims;
    if (claim == nullptr) {
      if (knows_all) add(VolumeFault::ClaimMissing, name);
      return;
    }
    if (claim->meta.deleted) return void(add(VolumeFault::ClaimDeleting, name));
    if (claim->phase == "Lost") return void(add(VolumeFault::ClaimLost, name));
    const auto& owner = claim->meta.controller;
    if (ephemeral && (!owner || owner->uid != pod_.meta.uid)) {
      return void(add(VolumeFault::ClaimForeign, name));
    }
    check_exclusive(*claim);
    if (claim->volume_name.empty()) return check_unbound(*claim);
    const auto* volume = named(around_.cluster.volumes, "", claim->volume_name);
    if (volume != nullptr) {
      check_volume(name, *volume);
    } else if (knows_all) {
      add(VolumeFault::VolumeMissing, name, claim->volume_name);
    }
  }

  void check_volume(const std::string& claim, const model::PersistentVolume& volume) {
    const model::Node& node = around_.node;
    if (volume.node_affinity && !placement::NodeAffinity(*volume.node_affinity).matches(node)) {
      add(VolumeFault::VolumeElsewhere, claim, volume.meta.name);
    }
    const bool zoned = std::ranges::any_of(
        zone_labels, [&](auto label) { return node.meta.labels.find(label) != nullptr; });
    if (!zoned) return;
    for (const std::string_view label : zone_labels) {
      const model::Text* zones = volume.meta.labels.find(label);
      if (zones == nullptr) continue;
      const model::Text* have = zone_of(node, label);
      if (have != nullptr && lists_zone(*zones, *have)) continue;
      add(VolumeFault::ZoneElsewhere, claim, volume.meta.name, zones->view());
    }
  }

  void check_unbound(const model::PersistentVolumeClaim& claim) {
    const std::string name = claim.meta.name.str();
    const auto* storage_class = named(around_.cluster.storage_classes, "", claim.storage_class);
    if (storage_class == nullptr && !around_.cluster.known.storage_classes) return;
    const bool delayed =
        storage_class != nullptr && storage_class->binding_mode == "WaitForFirstConsumer";
    if (!delayed) return void(add(VolumeFault::ClaimUnbound, name, claim.storage_class));
    if (!claim.selected_node.empty()) {
      if (claim.selected_node == around_.node.meta.name) return;
      return void(add(VolumeFault::SelectedElsewhere, name, {}, claim.selected_node));
    }
    const bool found = std::ranges::any_of(around_.cluster.volumes, [&](const auto& volume) {
      return suits(volume, claim, around_.node);
    });
    if (found || !around_.cluster.known.claims) return;
    if (storage_class->provisioner == no_provisioner) {
      add(VolumeFault::NoVolume, name, claim.storage_class);
    } else if (!allows(storage_class->allowed_topologies, around_.node)) {
      add(VolumeFault::TopologyNotAllowed, name, claim.storage_class);
    }
  }

  void check_exclusive(const model::PersistentVolumeClaim& claim) {
    if (!contains(claim.access_modes, "ReadWriteOncePod")) return;
    for (const model::Pod& other : pods_of(around_.cluster, pod_.meta.ns)) {
      if (&other == &pod_ || other.node_name.empty()) continue;
      const bool over = other.phase == "Succeeded" || other.phase == "Failed";
      if (over || !around_.is_there(&other)) continue;
      const bool uses = std::ranges::any_of(other.spec->volumes, [&](const auto& volume) {
        return claim_of(other, volume) == claim.meta.name.view();
      });
      if (!uses) continue;
      add(VolumeFault::ClaimInUse, claim.meta.name.str(), {}, other.node_name).holder = &other;
      return;
    }
  }

  void check_disk(const model::Volume& volume) {
    const bool always = volume.kind == "awsElasticBlockStore";
    const bool unless_read_only = volume.kind == "gcePersistentDisk" || volume.kind == "iscsi";
    if (volume.source.empty() || (!always && !unless_read_only)) return;
    for (const model::Pod* other : around_.pods_on(around_.node.meta.name)) {
      if (other == &pod_ || !around_.is_there(other)) continue;
      for (const model::Volume& theirs : other->spec->volumes) {
        if (theirs.kind != volume.kind || theirs.source != volume.source) continue;
        if (!always && theirs.read_only && volume.read_only) continue;
        add(VolumeFault::DiskInUse, {}, volume.source, volume.kind).holder = other;
      }
    }
  }

  /// CSI driver -> volumes of the pod's claims.
  using Attached = std::map<std::string, std::set<std::string>>;

  void collect(const model::Pod& pod, Attached& into) const {
    for (const model::Volume& volume : pod.spec->volumes) {
      const std::string name = claim_of(pod, volume);
      if (name.empty()) continue;
      const auto* claim = named(around_.cluster.claims, pod.meta.ns, name);
      if (claim == nullptr) continue;
      if (claim->volume_name.empty()) {
        const auto* of = named(around_.cluster.storage_classes, "", claim->storage_class);
        if (of != nullptr) into[of->provisioner.str()].insert(pod.meta.ns.str() + "/" + name);
        continue;
      }
      const auto* bound = named(around_.cluster.volumes, "", claim->volume_name);
      if (bound != nullptr && !bound->driver.empty()) {
        into[bound->driver.str()].insert(bound->meta.name.str());
      }
    }
  }

  void check_limits() {
    Attached ours;
    collect(pod_, ours);
    const auto* csi_node = named(around_.cluster.csi_nodes, "", around_.node.meta.name);
    if (ours.empty() || csi_node == nullptr) return;
    Attached all;
    for (const model::Pod* other : around_.pods_on(around_.node.meta.name)) {
      if (other != &pod_ && around_.is_there(other)) collect(*other, all);
    }
    for (const model::CsiDriverOnNode& driver : csi_node->drivers) {
      const auto wanted = ours.find(driver.name.str());
      if (!driver.limit || wanted == ours.end()) continue;
      std::set<std::string>& there = all[driver.name.str()];
      const auto used = static_cast<std::int64_t>(there.size());
      const auto added =
          std::ranges::count_if(wanted->second, [&](const auto& v) { return !there.contains(v); });
      if (added == 0 || used + added <= *driver.limit) continue;
      VolumeProblem& problem = add(VolumeFault::LimitReached, {}, driver.name);
      problem.used = used;
      problem.limit = *driver.limit;
    }
  }

  const model::Pod& pod_;
  const Surroundings& around_;
  std::vector<VolumeProblem> problems_;
};

}  // namespace

std::string claim_of(const model::Pod& pod, const model::Volume& volume) {
  if (volume.kind == "persistentVolumeClaim") return volume.source.str();
  if (volume.kind == "ephemeral") return pod.meta.name.str() + "-" + volume.name.str();
  return {};
}

std::vector<VolumeProblem> volume_problems(const model::Pod& pod, const Surroundings& around) {
  if (pod.spec->volumes.empty()) return {};
  return Volumes(pod, around).take();
}

}  // namespace dsdoctor::scheduling
