// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// Reasons of events of the taint eviction controller and the device taint eviction controller.
inline constexpr std::string_view taint_eviction = "TaintManagerEviction";
inline constexpr std::string_view device_taint_eviction = "DeviceTaintManagerEviction";

/// The events of a DaemonSet and of its pods, indexed by node. Keeps pointers into the cluster of
/// `facts`. All lists are oldest first, and empty if there are no events.
class DaemonSetEvents {
 public:
  using Events = Facts::Events;

  DaemonSetEvents(const model::DaemonSet& ds, const Facts& facts);

  /// Events of the DaemonSet itself.
  [[nodiscard]] const Events& own() const { return own_; }
  /// The controller's deletions of pods that were on the node by their own events.
  [[nodiscard]] const Events& deletions_on(std::string_view node) const;
  /// Its deletions of pods whose events name no node.
  [[nodiscard]] const Events& deletions_anywhere() const { return deletions_anywhere_; }
  /// The newest FailedCreate of the controller; null if there is none or if a pod was created
  /// later.
  [[nodiscard]] const model::Event* last_refusal() const { return last_refusal_; }
  /// Whether a pod was created after the newest FailedCreate.
  [[nodiscard]] bool has_recovered() const { return has_recovered_; }
  /// Whether one of the lists below has an event for the node, apart from those of the `pods` of
  /// evictions_on().
  [[nodiscard]] bool speak_of(const model::Text& node) const;
  /// Events of `own` whose message names the node: "... on node gpu-1, will try to kill it".
  [[nodiscard]] const Events& own_on(std::string_view node) const;
  /// Events about present or deleted pods that the node's kubelet recorded; not those of type
  /// Normal.
  [[nodiscard]] const Events& complaints_of(std::string_view node) const;
  /// Events of the scheduler about the pods: "Preempted by ... on node gpu-1".
  [[nodiscard]] const Events& preemptions_on(std::string_view node) const;
  /// Events of both taint eviction controllers about pods that were on the node, by other events of
  /// the pod or because it is one of `pods`.
  [[nodiscard]] Events evictions_on(std::string_view node,
                                    const std::vector<const model::Pod*>& pods) const;

 private:
  using ByName = std::unordered_map<std::string_view, Events>;

  void note_creation(const model::Event& event);
  void add_evictions(const Events& of_pods);
  void add_deletions(const Events& of_pods);

  Events own_;
  Events deletions_anywhere_;
  const model::Event* last_refusal_ = nullptr;
  bool has_recovered_ = false;
  ByName own_by_node_;
  ByName deletions_by_node_;
  ByName complaints_;
  ByName preemptions_;
  ByName evictions_by_pod_;
  std::unordered_map<std::string_view, std::set<std::string_view>> evicted_from_;  // node -> pods
};

/// Whether the event is from the DaemonSet controller, or has no source.
[[nodiscard]] inline bool is_by_controller(const model::Event& event) {
  return event.component.empty() || event.component == "daemonset-controller";
}

/// The pod in the message of the controller's event SuccessfulDelete: agent-1 in "Deleted pod:
/// agent-1". Empty for other events.
[[nodiscard]] std::string_view deleted_pod(const model::Event& event);

/// The node in the message of a Scheduled event: gpu-1 in "Successfully assigned x/agent-1 to
/// gpu-1". Empty for other events.
[[nodiscard]] std::string_view assigned_node(const model::Event& event);

}  // namespace dsdoctor::diagnosis
