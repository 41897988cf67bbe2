#pragma once

#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// What events tell of one DaemonSet and of its pods, by the node that they speak of: sorted once
/// for all nodes. Keeps pointers into the cluster of `facts`. Every list is oldest first, and empty
/// where there is nothing.
class DaemonSetEvents {
 public:
  using Events = Facts::Events;

  DaemonSetEvents(const model::DaemonSet& ds, const Facts& facts);

  /// About the DaemonSet itself.
  [[nodiscard]] const Events& own() const { return own_; }
  /// The newest FailedCreate of the controller; null where there is none, or where a pod was
  /// created later.
  [[nodiscard]] const model::Event* last_refusal() const { return last_refusal_; }
  /// A pod was created after the newest FailedCreate.
  [[nodiscard]] bool has_recovered() const { return has_recovered_; }
  /// One of the following lists has something of the node, whatever pods there are.
  [[nodiscard]] bool speak_of(const model::Text& node) const;
  /// Those of `own` whose words name the node: "... on node gpu-1, will try to kill it".
  [[nodiscard]] const Events& own_on(std::string_view node) const;
  /// No normal ones, about its pods, present or gone, and recorded by the node's kubelet.
  [[nodiscard]] const Events& complaints_of(std::string_view node) const;
  /// The scheduler's, about its pods: "Preempted by ... on node gpu-1".
  [[nodiscard]] const Events& preemptions_on(std::string_view node) const;
  /// The taint controller's, about its pods that were on the node: by other events of theirs, or
  /// because they are among `pods`.
  [[nodiscard]] Events evictions_on(std::string_view node,
                                    const std::vector<const model::Pod*>& pods) const;

 private:
  using ByName = std::unordered_map<std::string_view, Events>;

  void note_creation(const model::Event& event);
  void add_evictions(const Events& of_pods);

  Events own_;
  const model::Event* last_refusal_ = nullptr;
  bool has_recovered_ = false;
  ByName own_by_node_;
  ByName complaints_;
  ByName preemptions_;
  ByName evictions_by_pod_;
  std::unordered_map<std::string_view, std::set<std::string_view>> evicted_from_;  // pods, by node
};

/// Of the DaemonSet controller, or of nobody who is named.
[[nodiscard]] inline bool is_by_controller(const model::Event& event) {
  return event.component.empty() || event.component == "daemonset-controller";
}

}  // namespace dsdoctor::diagnosis
