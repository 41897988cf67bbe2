// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/rollout/rollout_replay.h"

#include <algorithm>
#include <map>

#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using Pods = std::vector<const model::Pod*>;
using PodsByNode = std::map<std::string_view, Pods>;

struct NodePods {
  const model::Pod* old_pod = nullptr;
  const model::Pod* new_pod = nullptr;
  const model::Pod* terminating = nullptr;
  bool excess = false;
};

PodsByNode pods_by_node(const DaemonSetCase& c) {
  PodsByNode result;
  const auto add = [&](const model::Pod* pod) {
    const bool gone =
        c.behaviour.ignores_terminal_terminating_pods && is_terminal(*pod) && is_terminating(*pod);
    const model::Text* node = gone ? nullptr : target_node(*pod);
    if (node != nullptr) result[node->view()].push_back(pod);
  };
  std::ranges::for_each(c.claimed.owned, add);
  std::ranges::for_each(c.claimed.adoptable, add);
  return result;
}

NodePods sorted_out(const DaemonSetCase& c, const Pods& pods) {
  NodePods result;
  for (const model::Pod* pod : pods) {
    if (is_terminating(*pod)) {
      result.terminating = pod;
      continue;
    }
    const model::Pod*& place = c.revision.is_current(*pod) ? result.new_pod : result.old_pod;
    result.excess = result.excess || place != nullptr;
    place = pod;
  }
  return result;
}

class Replay {
 public:
  explicit Replay(const DaemonSetCase& c) : c_(c), pods_(pods_by_node(c)) {}

  RolloutReplay run() {
    find_wanted_nodes();
    set_limits();
    const Pods none;
    auto at = pods_.begin();  // both are sorted by node
    for (const std::string_view node : wanted_) {
      for (; at != pods_.end() && at->first < node; ++at) look_at(at->first, at->second, false);
      const bool has_pods = at != pods_.end() && at->first == node;
      look_at(node, has_pods ? at->second : none, true);
      if (has_pods) ++at;
    }
    for (; at != pods_.end(); ++at) look_at(at->first, at->second, false);
    return std::move(result_);
  }

 private:
  void look_at(std::string_view node, const Pods& pods, bool wanted) {
    const NodePods on_node = sorted_out(c_, pods);
    if (wanted) count_revisions(on_node);
    result_.max_surge > 0 ? surge(node, on_node, wanted) : replace(node, on_node);
  }

  void find_wanted_nodes() {
    if (!c_.report.evaluated.nodes_known) {
      for (const auto& [node, pods] : pods_) wanted_.push_back(node);
      result_.desired = c_.ds.reported.desired_number_scheduled;
      return;
    }
    const placement::Evaluator evaluator(c_.ds.pod_template, c_.gates);
    for (const model::Node& node : c_.facts.cluster().nodes) {
      if (!placement::should_run(evaluator.decide(node))) continue;
      wanted_.push_back(node.meta.name);
    }
    result_.desired = static_cast<std::int64_t>(wanted_.size());
  }

  void set_limits() {
    result_.max_unavailable = scaled_up(c_.ds.max_unavailable, 1, result_.desired);
    result_.max_surge = scaled_up(c_.ds.max_surge, 0, result_.desired);
    if (result_.desired > 0 && result_.max_unavailable == 0 && result_.max_surge == 0) {
      result_.max_unavailable = 1;
    }
  }

  [[nodiscard]] bool available(const model::Pod& pod) const {
    return is_available(pod, c_.ds.min_ready_seconds, c_.facts.now(), c_.behaviour);
  }

  void count_revisions(const NodePods& pods) {
    if (pods.new_pod != nullptr) result_.fresh.push_back(pods.new_pod);
    if (pods.old_pod == nullptr) return;
    ++result_.outdated;
    result_.old.push_back(pods.old_pod);
  }

  void use(std::string_view node, BudgetUse why, const NodePods& pods) {
    result_.units.push_back({node, why, pods.old_pod, pods.new_pod, pods.terminating});
  }

  /// Without surge: old pods are deleted as long as at most maxUnavailable nodes are without an
  /// available pod.
  void replace(std::string_view node, const NodePods& pods) {
    if (pods.excess) return use(node, BudgetUse::Excess, pods);
    if (!pods.old_pod && !pods.new_pod) return use(node, BudgetUse::NoPod, pods);
    if (pods.old_pod && pods.new_pod) return use(node, BudgetUse::OldAndNew, pods);
    if (pods.new_pod) {
      if (!available(*pods.new_pod)) use(node, BudgetUse::NewUnavailable, pods);
      return;
    }
    if (!available(*pods.old_pod)) return use(node, BudgetUse::OldUnavailable, pods);
    ++result_.waiting;
  }

  /// With surge: new pods are created beside old available ones on up to maxSurge nodes.
  void surge(std::string_view node, const NodePods& pods, bool wanted) {
    if (pods.excess) return use(node, BudgetUse::Excess, pods);
    if (!pods.old_pod) return;  // only creation, not part of the rollout
    if (pods.new_pod) {
      if (!available(*pods.new_pod)) use(node, BudgetUse::NewUnavailable, pods);
      return;
    }
    if (c_.report.evaluated.nodes_known && model::find_node(c_.facts.cluster(), node) == nullptr) {
      result_.aborted_by = node;
      return;
    }
    if (!wanted) return;
    ++(available(*pods.old_pod) ? result_.waiting : result_.due_beside);
  }

  const DaemonSetCase& c_;
  PodsByNode pods_;
  std::vector<std::string_view> wanted_;  // sorted, as the cluster's nodes are
  RolloutReplay result_;
};

}  // namespace

bool RolloutReplay::blocked() const {
  if (!aborted_by.empty()) return true;
  return waiting > 0 && static_cast<std::int64_t>(units.size()) >= budget();
}

RolloutReplay replay_rollout(const DaemonSetCase& c) { return Replay(c).run(); }

bool obstructs_own_surge(const model::DaemonSet& ds) {
  const model::PodTemplate& pods = ds.pod_template;
  return is_surge(ds) && !scheduling::admitted_host_ports(pods.spec, pods.host_network).empty();
}

std::int64_t scaled_up(const std::optional<model::IntOrPercent>& value, std::int64_t absent,
                       std::int64_t total) {
  constexpr std::int64_t most = 1'000'000'000;
  if (!value) return absent;
  const std::int64_t amount = std::clamp<std::int64_t>(value->value, 0, most);
  return value->percent ? (amount * std::min(total, most) + 99) / 100 : amount;
}

}  // namespace dsdoctor::diagnosis
