// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/node_findings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/time.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/causes/nodes/leaving_nodes.h"
#include "diagnosis/causes/nodes/node_purpose.h"
#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/causes/nodes/not_ready.h"
#include "diagnosis/causes/nodes/startup_agents.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/evidence/workload_kind.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

// Duration of a node lease.
constexpr std::chrono::seconds lease_renewed_lately{40};

/// Finds the problems of one node.
class NodeFinder {
 public:
  NodeFinder(const NodeCase& of, bool asked) : of_(of), node_(of.node), asked_(asked), record_(of) {
    for (const placement::Reason& reason : of.report.shared_reasons()) {
      if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
        open_.push_back(&node_.taints[open->index]);
      } else {
        only_taints_ = false;
      }
    }
  }

  std::vector<Finding> find() {
    count_if(leaving_counts(), [&] { add_leaving(of_, record_); });
    const std::size_t before = record_.size();
    count_if(health_counts(), [&] { health(); });
    if (leaves_in_time()) record_.ends_with_node(before);
    starting();
    count_if(state_counts(), [&] { conditions(); });
    if (kept_out()) {
      if (asked_) add_purpose(of_, open_, record_);
    } else if (is_wrong(of_.report.verdict())) {
      add_no_place_for_pods(of_, record_);
    }
    cordoned();
    return record_.take();
  }

 private:
  [[nodiscard]] bool kept_out() const { return of_.report.decision() != placement::Decision::Run; }
  [[nodiscard]] bool is_open(const model::Taint& taint) const {
    return std::ranges::find(open_, &taint) != open_.end();
  }
  [[nodiscard]] std::string_view name() const { return node_.meta.name; }
  [[nodiscard]] model::Time now() const { return of_.of.facts.now(); }
  [[nodiscard]] bool is_new() const {
    return record_.is_within(node_.meta.created, threshold::new_node);
  }

  // A node's state is not a problem of a DaemonSet whose verdict does not depend on it.

  template <typename Section>
  void count_if(bool counts, const Section& section) {
    const std::size_t before = record_.size();
    section();
    if (!counts) record_.discount(before, asked_);
  }

  /// Whether the DaemonSet's pod there may have a problem; if no pods were read, according to the
  /// DaemonSet's status.
  [[nodiscard]] bool may_be_wrong() const {
    const DaemonSetReport& report = of_.of.report;
    return of_.report.verdict() != NodeVerdict::Unknown ||
           (report.observed &&
            report.reported.number_ready < report.reported.desired_number_scheduled);
  }
  [[nodiscard]] bool state_counts() const {
    if (of_.report.verdict() == NodeVerdict::Running || !may_be_wrong()) return false;
    return !kept_out() || is_out_by_state(*of_.report.state);
  }
  /// The node's removal deletes its pod even if something excludes new pods.
  [[nodiscard]] bool leaving_counts() const {
    return state_counts() || (kept_out() && !of_.report.pods().empty());
  }
  /// The node is being removed in time, which ends its other problems.
  [[nodiscard]] bool leaves_in_time() const {
    const auto limit = should_be_gone_by(node_, of_.of.facts);
    return limit && of_.of.facts.now() <= *limit;
  }
  [[nodiscard]] bool health_counts() const {
    const auto is_of_health = [](const model::Taint* taint) {
      return taint->key == "node.kubernetes.io/not-ready" ||
             taint->key == "node.kubernetes.io/unreachable";
    };
    // The kubelet has to confirm a deletion.
    if (std::ranges::any_of(of_.report.pods(), &PodReport::terminating)) return true;
    if (!kept_out()) return state_counts();
    return state_counts() &&
           (std::ranges::any_of(open_, is_of_health) || is_network_plugin(of_.of.ds));
  }
  /// Whether a startup taint matters because this DaemonSet's own pod has to remove it.
  [[nodiscard]] bool startup_counts(const model::Taint& taint) const {
    return state_counts() || (kept_out() && only_taints_ && is_own_taint(taint));
  }

  void health() {
    if (const model::Condition* ready = condition_is(node_, "Ready", "Unknown")) {
      return unreachable(*ready);
    }
    const model::Condition* ready = condition_is(node_, "Ready", "False");
    if (ready == nullptr) return;
    if (network_deadlock(*ready)) return;
    Finding& finding = add_not_ready(of_, *ready, record_);
    if (not_ready_cause(ready->message) == NotReadyCause::Network && fails_by_itself()) {
      finding.standing = Standing::Context;
    }
    if (is_new()) {
      finding.severity = Severity::Info;
      finding.transient = true;
    } else if (record_.is_within(ready->last_transition, std::chrono::minutes(5))) {
      finding.severity = Severity::Warning;
    }
    settle_update(of_, *ready, record_, finding);
  }

  /// True for a pod that does not need the network and that the node controller has not marked as
  /// not ready: the node may wait for the pod.
  [[nodiscard]] bool fails_by_itself() const {
    const bool needs_network =
        !of_.of.ds.pod_template.host_network && !is_network_plugin(of_.of.ds);
    if (needs_network || kept_out()) return false;
    return std::ranges::none_of(of_.pods, [&](const model::Pod* pod) {
      return is_marked_by_node(of_, *pod, events_of(of_.of.facts, *pod));
    });
  }

  /// A live kubelet renews its lease every ten seconds and its status every five minutes.
  void unreachable(const model::Condition& ready) {
    auto silent = ready.last_heartbeat ? ready.last_heartbeat : ready.last_transition;
    std::vector<Evidence> evidence = {record_.condition(ready)};
    const model::Lease* lease = of_.of.facts.lease("kube-node-lease", name());
    if (lease != nullptr && lease->renewed) {
      if (!silent || *lease->renewed > *silent) silent = lease->renewed;
      evidence.emplace_back(ObjectRef{"Lease", lease->meta.ns.str(), lease->meta.name.str()},
                            "spec.renewTime", base::rfc3339(*lease->renewed));
    }
    // A kubelet that died had renewed its lease as well, shortly before the node was marked.
    const bool back = lease != nullptr && lease->renewed && ready.last_transition &&
                      *lease->renewed > *ready.last_transition &&
                      record_.is_within(lease->renewed, lease_renewed_lately);
    const bool marked = find_taint(node_, "node.kubernetes.io/out-of-service") != nullptr;
    Finding& finding = record_.add(
        finding::NodeUnreachable{.it_is_being_updated = is_being_updated(node_),
                                 .marked_out_of_service = marked,
                                 .never_reported = ready.reason == "NodeStatusNeverUpdated",
                                 .silent = {silent, now()}},
        std::move(evidence));
    if (back) {
      finding.message = phrase::KubeletReportsAgain{.renewed = lease->renewed,
                                                    .since = {ready.last_transition, now()}};
      finding.severity = Severity::Warning;
      finding.transient = true;
      finding.group = "back";
      finding.fix.clear();
    }
    if (is_new()) finding.severity = Severity::Info;
    if (!back) settle_update(of_, ready, record_, finding);
  }

  /// The node waits for the network, and the network plugin's DaemonSet waits for the node.
  bool network_deadlock(const model::Condition& ready) {
    if (not_ready_cause(ready.message) != NotReadyCause::Network || !is_network_plugin(of_.of.ds) ||
        !kept_out() || !only_taints_) {
      return false;
    }
    const model::Pod* initializer = waiting_initializer(of_);
    const auto blocks = [&](const model::Taint* taint) {
      return taint->key == "node.kubernetes.io/not-ready" ||
             taint->key == "node.kubernetes.io/network-unavailable" ||
             (initializer != nullptr && taint->key == uninitialized_key);
    };
    const auto taint = std::ranges::find_if(open_, blocks);
    if (taint == open_.end()) return false;
    const bool is_circle = (*taint)->key == uninitialized_key;
    record_.add(
        finding::NodeCniDeadlock{.effect = (*taint)->effect,
                                 .initializer = is_circle ? initializer->meta.name : model::Text(),
                                 .key = (*taint)->key},
        {record_.condition(ready), record_.taint(**taint)}, *taint);
    return true;
  }

  void starting() {
    for (const model::Taint& taint : node_.taints) {
      const bool speaks = is_open(taint) || asked_ || (kept_out() && is_own_taint(taint));
      if (taint.effect == "PreferNoSchedule" || !speaks) continue;
      count_if(startup_counts(taint), [&] { starting(taint); });
    }
  }

  void starting(const model::Taint& taint) {
    constexpr std::array<std::string_view, 3> of_providers = {
        uninitialized_key, "node.cluster.x-k8s.io/uninitialized", "karpenter.sh/unregistered"};
    const std::string_view key = taint.key;
    const auto agent = startup_agent(taint);
    if (!agent && std::ranges::find(of_providers, key) == of_providers.end()) return;
    const StartupWait wait = startup_wait(of_, taint);
    const parameter::Time since = {wait.since, now()};
    if (key == of_providers[0]) {
      add_starting(
          finding::NodeCloudUninitialized{.found = set_by_cloud(), .key = key, .since = since},
          taint, wait);
    } else if (key == of_providers[1]) {
      add_starting(finding::NodeCapiUninitialized{.since = since}, taint, wait);
    } else if (key == of_providers[2]) {
      add_starting(finding::NodeKarpenterUnregistered{.since = since}, taint, wait);
    } else {
      startup_taint(taint, *agent, wait);
    }
  }

  /// The fields that the cloud controller manager has set or not set.
  [[nodiscard]] std::vector<Message> set_by_cloud() const {
    const bool has_id = !node_.provider_id.empty();
    const bool has_zone = node_.meta.labels.find("topology.kubernetes.io/zone") != nullptr;
    return {has_id ? Message(phrase::ProviderIdSet{}) : phrase::ProviderIdMissing{},
            has_zone ? Message(phrase::ZoneLabelSet{}) : phrase::ZoneLabelMissing{}};
  }

  void add_starting(const FindingKind& kind, const model::Taint& taint, const StartupWait& wait) {
    Finding& finding = record_.add(kind, {record_.taint(taint)}, &taint);
    settle_until_overdue(finding, wait);
  }

  /// Returns whether to wait.
  bool settle_until_overdue(Finding& finding, const StartupWait& wait) {
    if (wait.agent_is_starting || record_.is_within(wait.since, threshold::startup_taint) ||
        record_.is_within(wait.not_before, threshold::startup_taint)) {
      settle(finding);
    } else if (wait.since) {
      finding.overdue_since = *wait.since + threshold::startup_taint;
    }
    return finding.transient;
  }

  static void settle(Finding& finding) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }

  /// Whether the taint stays unless this DaemonSet's own pod removes it.
  [[nodiscard]] bool is_own_taint(const model::Taint& taint) const {
    return has_to_remove(of_.of.ds, taint, of_.of.facts, node_, of_.of.gates);
  }

  /// Reports startup taints whose agents wait for each other, so that none is removed without
  /// action. Returns whether the taint is one of them.
  bool circle(const model::Taint& taint, const model::OptionalTime& when) {
    const auto found = startup_circle(of_.of.facts, node_, of_.of.gates);
    if (!found || std::ranges::find(found->members, &taint, &StartupCircle::Member::removes) ==
                      found->members.end()) {
      return false;
    }
    if (told_circle_) return true;
    told_circle_ = true;
    const StartupCircle::Member& first = found->breaker();
    Finding& finding =
        record_.add(finding::NodeStartupTaintCircle{.agent = first.agent->meta.name,
                                                    .agent_ns = first.agent->meta.ns,
                                                    .effect = first.waits_for->effect,
                                                    .key = first.waits_for->key,
                                                    .since = {when, now()},
                                                    .waits = waits_of(*found)},
                    {record_.taint(*first.removes), record_.taint(*first.waits_for)}, &taint);
    if (!found->contains(of_.of.ds)) finding.severity = Severity::Error;
    return true;
  }

  /// Another taint that excludes the pod which would remove this one.
  [[nodiscard]] std::string obstacle_to(const model::Taint& taint) const {
    return is_open(taint) || open_.empty() ? std::string() : wording::taint(*open_.front());
  }

  /// Whether the agent has a DaemonSet that nothing excludes from the node, or may have one that
  /// was not read.
  [[nodiscard]] bool can_run_here(std::string_view agent, const model::Taint& taint) const {
    const model::Cluster& cluster = of_.of.facts.cluster();
    const bool is_there = std::ranges::any_of(
        cluster.daemon_sets, [&](const model::DaemonSet& ds) { return is_agent(ds, agent); });
    return (is_there || !cluster.known.every_daemon_set) && !hindrance_of_agent(of_, taint);
  }

  /// True if everything that excludes the pod which would remove the taint is removed independently
  /// of it.
  [[nodiscard]] bool waits_its_turn(const model::Taint& taint) const {
    if (is_open(taint)) return false;
    const model::KnownTaint* own = of_.of.taints->find(taint, node_.meta.labels);
    const bool brings_network =
        is_network_plugin(of_.of.ds) || (own != nullptr && own->family == "cni");
    return std::ranges::all_of(open_, [&](const model::Taint* other) {
      if (other->key == "node.kubernetes.io/not-ready" && brings_network) return false;
      const auto agent = startup_agent(*other);
      if (agent && !can_run_here(*agent, *other)) return false;
      const model::KnownTaint* known = of_.of.taints->find(*other, node_.meta.labels);
      return known != nullptr && (known->lifecycle == model::TaintLifecycle::UntilReady ||
                                  known->lifecycle == model::TaintLifecycle::Transient);
    });
  }

  /// Whether no DaemonSet runs the agent that removes the taint, which is old enough. The
  /// list of DaemonSets must be whole, or at least not that of one namespace.
  [[nodiscard]] bool is_left_behind(const model::Taint& taint) const {
    const model::Cluster& cluster = of_.of.facts.cluster();
    const auto& all = cluster.daemon_sets;  // sorted by namespace
    const model::OptionalTime added = added_at(taint, node_);
    const bool is_whole = cluster.known.every_daemon_set ||
                          (!all.empty() && all.front().meta.ns != all.back().meta.ns);
    return is_whole && possible_removers(cluster, taint).empty() &&
           is_older(added ? added : node_.meta.created, threshold::startup_taint, now());
  }

  /// Reports a startup taint. Its agent cannot run if it does not tolerate another taint.
  void startup_taint(const model::Taint& taint, const std::string& agent, const StartupWait& wait) {
    const auto& when = wait.since;
    if (circle(taint, when)) return;
    // If the DaemonSet itself removes the taint, the findings about its pod explain the wait.
    if (!kept_out() && removes_startup_taint(of_.of.ds, taint)) return;
    const bool is_the_agent = is_own_taint(taint);
    const auto hindrance = is_the_agent || is_new() ? std::nullopt : hindrance_of_agent(of_, taint);
    const model::Cluster& cluster = of_.of.facts.cluster();
    const bool is_left = !is_the_agent && is_left_behind(taint);
    const model::Pod* idle = is_the_agent || is_left ? nullptr : idle_agent(of_, taint);
    // The creation of the node shows nothing about a taint that nobody removes.
    const bool stays = is_left || idle != nullptr;
    const auto since = stays ? added_at(taint, node_) : when;
    Finding& finding = record_.add(
        finding::NodeStartupTaintStuck{
            .agent = agent,
            .agent_ns = idle == nullptr ? model::Text() : idle->meta.ns,
            .agent_pod = idle == nullptr ? model::Text() : idle->meta.name,
            .another_daemon_set_removes_it = !is_the_agent && !stays,
            .another_taint_excludes_its_pod = is_the_agent && !is_open(taint),
            .effect = taint.effect,
            .hindrance = hindrance,
            .its_agent_is_ready = idle != nullptr,
            .its_own_pod_is_excluded = is_the_agent && is_open(taint),
            .its_own_pod_removes_it = is_the_agent,
            .key = taint.key,
            .no_daemon_set_removes_it = is_left,
            .nobody = cluster.known.every_daemon_set ? "no DaemonSet of the cluster"
                                                     : "no DaemonSet that was read",
            .obstacle = obstacle_to(taint),
            .since = {since, now()},
            .taint = wording::taint(taint)},
        {record_.taint(taint)}, &taint);
    if (idle != nullptr) finding.severity = Severity::Warning;
    if (stays) return;
    if (is_the_agent && waits_its_turn(taint) && settle_until_overdue(finding, wait)) {
      finding.fix.clear();
    } else if (is_the_agent) {
      finding.severity = Severity::Critical;
    } else if (hindrance && !wait.agent_is_starting) {
      finding.overdue_since = when;  // its remover cannot run
    } else if (settle_until_overdue(finding, wait)) {
      // Without all DaemonSets it is unknown what the agents wait for.
      finding.transient =
          of_.of.facts.cluster().known.every_daemon_set || !waits_for_several_agents(node_);
    }
  }

  void conditions() {
    pressure<finding::NodeDiskPressure>("DiskPressure");
    pressure<finding::NodePidPressure>("PIDPressure");
    pressure<finding::NodeMemoryPressure>("MemoryPressure");
    const model::Condition* network = condition_is(node_, "NetworkUnavailable", "True");
    if (network != nullptr && kept_out() && !of_.of.ds.pod_template.host_network) {
      record_.add(finding::NodeNetworkUnavailable{.said = wording::cut(network->message),
                                                  .since = {network->last_transition, now()}},
                  {record_.condition(*network)});
    }
  }

  /// Pressure never excludes a daemon pod from a node; it makes the kubelet reject and evict pods.
  template <typename Kind>
  void pressure(std::string_view type) {
    const model::Condition* found = condition_is(node_, type, "True");
    if (found == nullptr) return;
    const NodeVerdict verdict = of_.report.verdict();
    const bool explains = verdict == NodeVerdict::Failed || verdict == NodeVerdict::Missing ||
                          verdict == NodeVerdict::NotReady;
    if (!explains && !asked_) return;
    Finding& finding =
        record_.add(Kind{.since = {found->last_transition, now()}}, {record_.condition(*found)});
    if (!explains) finding.severity = Severity::Info;
  }

  void cordoned() {
    if (!node_.unschedulable) return;
    const bool problem = is_wrong(of_.report.verdict());
    if (!problem && !asked_) return;
    const model::Taint* taint = find_taint(node_, "node.kubernetes.io/unschedulable");
    const auto when = taint == nullptr ? std::nullopt : taint->time_added;
    record_.add(finding::NodeCordoned{.since = {when, now()}},
                {record_.field("spec.unschedulable", "true")});
  }

  const NodeCase& of_;
  const model::Node& node_;
  bool asked_;
  std::vector<const model::Taint*> open_;  // untolerated taints
  bool only_taints_ = true;
  bool told_circle_ = false;
  NodeRecord record_;
};

}  // namespace

std::vector<Finding> node_findings(const NodeCase& of, bool asked) {
  return NodeFinder(of, asked).find();
}

}  // namespace dsdoctor::diagnosis
