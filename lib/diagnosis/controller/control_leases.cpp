// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/controller/control_leases.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::seconds least_lease_age{60};
constexpr std::int64_t longest_lease = 3600;  // seconds

}  // namespace

std::optional<model::Time::duration> staleness(const model::Lease* lease, model::Time now) {
  if (lease == nullptr || !lease->renewed) return std::nullopt;
  const std::chrono::seconds duration(std::clamp<std::int64_t>(lease->duration, 0, longest_lease));
  const auto limit = std::max<std::chrono::seconds>(least_lease_age, 4 * duration);
  const auto age = now - *lease->renewed;
  return age > limit ? std::optional(age) : std::nullopt;
}

namespace {

/// Whether a controller of kube-controller-manager created the pod.
bool is_made(const model::Pod& pod) {
  constexpr std::array makers = {"DaemonSet", "Job", "ReplicaSet", "ReplicationController",
                                 "StatefulSet"};
  return pod.meta.controller && std::ranges::any_of(makers, [&](std::string_view kind) {
           return pod.meta.controller->kind == kind;
         });
}

}  // namespace

bool controller_manager_acted_since(const model::Cluster& cluster, model::Time from) {
  const auto wrote = [&](const auto& object) {
    return std::ranges::any_of(object.meta.managers, [&](const model::FieldManager& entry) {
      return entry.manager == "kube-controller-manager" && entry.time && *entry.time >= from;
    });
  };
  return std::ranges::any_of(cluster.nodes, wrote) ||
         std::ranges::any_of(cluster.daemon_sets, wrote) ||
         std::ranges::any_of(cluster.pods,
                             [&](const model::Pod& pod) {
                               return pod.meta.created && *pod.meta.created >= from && is_made(pod);
                             }) ||
         std::ranges::any_of(cluster.events, [&](const model::Event& event) {
           return (event.component == "node-controller" ||
                   event.component == "daemonset-controller") &&
                  event.last && *event.last >= from;
         });
}

std::optional<model::Time::duration> controller_manager_silence(const model::Cluster& cluster,
                                                                model::Time now) {
  const auto at = std::ranges::find_if(cluster.leases, [](const model::Lease& lease) {
    return lease.meta.ns == "kube-system" && lease.meta.name == "kube-controller-manager";
  });
  const auto age = staleness(at == cluster.leases.end() ? nullptr : &*at, now);
  if (!age || controller_manager_acted_since(cluster, now - *age + least_lease_age)) return {};
  return age;
}

}  // namespace dsdoctor::diagnosis
