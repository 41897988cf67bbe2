#include "diagnosis/causes/nodes/node_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/causes/nodes/leaving_nodes.h"
#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

using wording::cut;

/// What keeps a kubelet from being ready, in a word; by the words of its own message.
std::string_view class_of(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != message.npos; };
  if (has("NetworkPluginNotReady") || has("cni") || has("network is not ready") ||
      has("runtime network not ready")) {
    return "the node's network";
  }
  if (has("container runtime is down") || has("runtime is not running")) {
    return "the container runtime";
  }
  if (has("PLEG")) return "the container runtime (PLEG)";
  if (has("shutting down")) return "its shutdown";
  if (has("certificate") || has("Unauthorized") || has("forbidden")) return "the kubelet's rights";
  return {};
}

// As long as a lease of a node lasts.
constexpr std::chrono::seconds lease_renewed_lately{40};

/// The finding of one node, with all that its makers need.
class NodeFinder {
 public:
  NodeFinder(const NodeCase& of, bool asked) : of_(of), node_(of.node), asked_(asked), record_(of) {
    for (const placement::Reason& reason : of.report.reasons) {
      if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
        open_.push_back(&node_.taints[open->index]);
      } else {
        only_taints_ = false;
      }
    }
  }

  std::vector<Finding> find() {
    add_leaving(of_, record_);
    health();
    starting();
    conditions();
    if (kept_out()) {
      purpose();
    } else if (is_wrong(of_.report.verdict)) {
      no_place_for_pods();
    }
    cordoned();
    return record_.take();
  }

 private:
  [[nodiscard]] bool kept_out() const { return of_.report.decision != placement::Decision::Run; }
  [[nodiscard]] bool is_open(const model::Taint& taint) const {
    return std::ranges::find(open_, &taint) != open_.end();
  }
  [[nodiscard]] std::string_view name() const { return node_.meta.name; }
  [[nodiscard]] bool is_new() const {
    return record_.is_within(node_.meta.created, threshold::new_node);
  }

  void health() {
    if (const model::Condition* ready = condition_is(node_, "Ready", "Unknown")) {
      return unreachable(*ready);
    }
    const model::Condition* ready = condition_is(node_, "Ready", "False");
    if (ready == nullptr) return;
    if (network_deadlock(*ready)) return;
    const std::string_view word = class_of(ready->message);
    Finding& finding = record_.add(
        FindingId::NodeNotReady,
        fmt::format("the node is not ready{}{}{}: {}", record_.since(ready->last_transition),
                    word.empty() ? "" : " because of ", word,
                    ready->message.empty() ? cut(ready->reason) : cut(ready->message)),
        {record_.condition(*ready)});
    finding.group = fmt::format("{} {}", ready->reason.view(), word);
    if (is_new()) {
      finding.severity = Severity::Info;
      finding.transient = true;
    } else if (record_.is_within(ready->last_transition, std::chrono::minutes(5))) {
      finding.severity = Severity::Warning;
    }
  }

  /// A kubelet that is alive renews its lease every ten seconds, and its status every five minutes.
  void unreachable(const model::Condition& ready) {
    auto silent = ready.last_heartbeat ? ready.last_heartbeat : ready.last_transition;
    std::vector<std::string> evidence = {record_.condition(ready)};
    const model::Lease* lease = of_.of.facts.lease("kube-node-lease", name());
    if (lease != nullptr && lease->renewed) {
      if (!silent || *lease->renewed > *silent) silent = lease->renewed;
      evidence.push_back(
          fmt::format("Lease/{} spec.renewTime: {}", name(), format_utc(*lease->renewed)));
    }
    const bool back = lease != nullptr && record_.is_within(lease->renewed, lease_renewed_lately);
    const bool never = ready.reason == "NodeStatusNeverUpdated";
    Finding& finding = record_.add(
        FindingId::NodeUnreachable,
        back ? fmt::format("the kubelet is back: it renewed its lease at {}, and the node is still "
                           "taken for unreachable{}",
                           format_utc(*lease->renewed), record_.since(ready.last_transition))
             : fmt::format("the kubelet is silent{}{}; nothing on the node starts or ends",
                           record_.since(silent), never ? ", it never reported" : ""),
        std::move(evidence));
    if (back) {
      finding.severity = Severity::Warning;
      finding.transient = true;
      finding.group = "back";
      finding.fix.clear();
    }
    if (is_new()) finding.severity = Severity::Info;
  }

  [[nodiscard]] bool is_network_plugin() const {
    return std::ranges::any_of(of_.of.ds.pod_template.spec.volumes, [](const model::Volume& v) {
      return v.kind == "hostPath" &&
             (v.source.view().starts_with("/etc/cni") || v.source.view().starts_with("/opt/cni"));
    });
  }

  /// The node waits for the network, and the network's own DaemonSet for the node.
  bool network_deadlock(const model::Condition& ready) {
    if (class_of(ready.message) != "the node's network" || !is_network_plugin() || !kept_out() ||
        !only_taints_) {
      return false;
    }
    const auto blocks = [](const model::Taint* taint) {
      return taint->key == "node.kubernetes.io/not-ready" ||
             taint->key == "node.kubernetes.io/network-unavailable";
    };
    const auto taint = std::ranges::find_if(open_, blocks);
    if (taint == open_.end()) return false;
    record_.add(
        finding::NodeCniDeadlock{.effect = (*taint)->effect, .key = (*taint)->key},
        fmt::format("the node waits for its network, and this DaemonSet, which brings the network, "
                    "does not tolerate {}",
                    (*taint)->key.view()),
        {record_.condition(ready), record_.taint(**taint)}, *taint);
    return true;
  }

  void starting() {
    for (const model::Taint& taint : node_.taints) {
      const bool speaks = is_open(taint) || asked_ || (kept_out() && is_own_taint(taint));
      if (taint.effect == "PreferNoSchedule" || !speaks) continue;
      starting(taint);
    }
  }

  void starting(const model::Taint& taint) {
    const std::string_view key = taint.key;
    const auto when = added_at(taint, node_) ? added_at(taint, node_) : node_.meta.created;
    if (key == "node.cloudprovider.kubernetes.io/uninitialized") {
      const bool zone = node_.meta.labels.find("topology.kubernetes.io/zone") != nullptr;
      add_starting(
          finding::NodeCloudUninitialized{.key = key},
          fmt::format(
              "the cloud controller has not initialized the node{}: provider id {}, zone label {}",
              record_.since(when), node_.provider_id.empty() ? "missing" : "there",
              zone ? "there" : "missing"),
          taint, when);
    } else if (key == "node.cluster.x-k8s.io/uninitialized") {
      add_starting(FindingId::NodeCapiUninitialized,
                   fmt::format("Cluster API has not initialized the node{}", record_.since(when)),
                   taint, when);
    } else if (key == "karpenter.sh/unregistered") {
      add_starting(
          FindingId::NodeKarpenterUnregistered,
          fmt::format("Karpenter has not finished registering the node{}", record_.since(when)),
          taint, when);
    } else if (const auto agent = startup_agent(taint)) {
      startup_taint(taint, *agent, when);
    }
  }

  void add_starting(const FindingKind& kind, std::string message, const model::Taint& taint,
                    const std::optional<model::Time>& when) {
    Finding& finding = record_.add(kind, std::move(message), {record_.taint(taint)}, &taint);
    if (record_.is_within(when, threshold::startup_taint)) settle(finding);
  }

  static void settle(Finding& finding) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }

  /// One that this DaemonSet's own pod has to take off.
  [[nodiscard]] bool is_own_taint(const model::Taint& taint) const {
    const auto agent = startup_agent(taint);
    if (!agent) return false;
    const model::DaemonSet& ds = of_.of.ds;
    const auto names = [&](std::string_view text) { return text.find(*agent) != text.npos; };
    return names(ds.meta.name) ||
           std::ranges::any_of(ds.pod_template.spec.containers,
                               [&](const auto& c) { return names(c.image); });
  }

  /// The agent that takes the taint off cannot run where it does not tolerate another one.
  void startup_taint(const model::Taint& taint, const std::string& agent,
                     const std::optional<model::Time>& when) {
    const bool is_the_agent = is_own_taint(taint);
    Finding& finding = record_.add(
        FindingId::NodeStartupTaintStuck,
        is_the_agent
            ? fmt::format("{} has to be taken off by this DaemonSet's pod, which may not run "
                          "here{}",
                          wording::taint(taint), record_.since(when))
            : fmt::format("the node waits{} for {} to take off {}", record_.since(when), agent,
                          wording::taint(taint)),
        {record_.taint(taint)}, &taint);
    if (is_the_agent && kept_out()) {
      finding.severity = Severity::Critical;
    } else if (record_.is_within(when, threshold::startup_taint)) {
      settle(finding);
    }
  }

  void conditions() {
    pressure("DiskPressure", FindingId::NodeDiskPressure,
             "disk pressure{}: the kubelet refuses and evicts pods below priority 2000000000");
    pressure("PIDPressure", FindingId::NodePidPressure,
             "process ids are short{}: the kubelet refuses and evicts pods below priority "
             "2000000000");
    pressure("MemoryPressure", FindingId::NodeMemoryPressure,
             "memory pressure{}: running pods above their requests are evicted");
    const model::Condition* network = condition_is(node_, "NetworkUnavailable", "True");
    if (network != nullptr && kept_out() && !of_.of.ds.pod_template.host_network) {
      record_.add(FindingId::NodeNetworkUnavailable,
                  fmt::format("the node's network is not set up{}: {}",
                              record_.since(network->last_transition), cut(network->message)),
                  {record_.condition(*network)});
    }
  }

  /// Pressure never keeps a daemon pod from a node; it makes the kubelet refuse and evict.
  void pressure(std::string_view type, const FindingKind& kind, const char* text) {
    const model::Condition* found = condition_is(node_, type, "True");
    if (found == nullptr) return;
    const NodeVerdict verdict = of_.report.verdict;
    const bool explains = verdict == NodeVerdict::Failed || verdict == NodeVerdict::Missing ||
                          verdict == NodeVerdict::NotReady;
    if (!explains && !asked_) return;
    Finding& finding =
        record_.add(kind, fmt::format(fmt::runtime(text), record_.since(found->last_transition)),
                    {record_.condition(*found)});
    if (!explains) finding.severity = Severity::Info;
  }

  /// A taint turns pods away that do not tolerate it by their template.
  [[nodiscard]] bool is_fenced() const {
    const auto automatic = placement::automatic_tolerations(of_.of.ds.pod_template.host_network);
    return std::ranges::any_of(node_.taints, [&](const model::Taint& taint) {
      return placement::is_blocking(taint) &&
             std::ranges::none_of(automatic, [&](const model::Toleration& toleration) {
               return placement::tolerates(toleration, taint, of_.of.gates);
             });
    });
  }

  /// It is wanted, but no real node: whatever keeps the pod from working there follows from that.
  void no_place_for_pods() {
    const bool fargate = is_fargate(node_);
    if (!fargate && !is_virtual(node_)) return;
    Finding& finding = record_.add(
        fargate ? FindingKind(FindingId::NodeFargate) : FindingKind(FindingId::NodeVirtual),
        fmt::format("{}; {}",
                    fargate ? "a Fargate node takes one pod, and none of a DaemonSet"
                            : "a virtual node: nothing there runs the pods of DaemonSets",
                    is_fenced() ? "only a toleration of its taint brings the DaemonSet there"
                                : "no taint keeps the DaemonSet away"),
        {record_.field("metadata.labels")});
    finding.severity = Severity::Error;
  }

  /// What kind of node it is, where that is why it is kept out.
  void purpose() {
    const bool wanted_taints = asked_ && !open_.empty();
    if (is_virtual(node_) && asked_) {
      record_.add(FindingId::NodeVirtual,
                  "a virtual node: nothing there runs the pods of DaemonSets",
                  {record_.field("metadata.labels")});
      return;
    }
    if (is_fargate(node_) && asked_) {
      record_.add(FindingId::NodeFargate, "a Fargate node takes one pod, and none of a DaemonSet",
                  {record_.field("metadata.labels")});
      return;
    }
    if (!wanted_taints) return;
    for (const model::Taint* taint : open_) {
      const std::string_view key = taint->key;
      if (key == "node-role.kubernetes.io/control-plane" ||
          key == "node-role.kubernetes.io/master") {
        record_.add(finding::NodeControlPlane{.key = key}, "the node belongs to the control plane",
                    {record_.taint(*taint)}, taint);
      } else if (of_.of.taints->find(*taint, node_.meta.labels) == nullptr &&
                 !startup_agent(*taint)) {
        record_.add(finding::NodePoolTaint{.key = key},
                    fmt::format("taint {} sets the node apart{}", wording::taint(*taint),
                                record_.since(added_at(*taint, node_))),
                    {record_.taint(*taint)}, taint);
      }
    }
  }

  void cordoned() {
    if (!node_.unschedulable) return;
    const bool problem = is_wrong(of_.report.verdict);
    if (!problem && !asked_) return;
    const model::Taint* taint = find_taint(node_, "node.kubernetes.io/unschedulable");
    const auto when = taint == nullptr ? std::nullopt : taint->time_added;
    record_.add(
        FindingId::NodeCordoned,
        fmt::format("the node is cordoned{}; pods of DaemonSets tolerate that: it is not the cause",
                    record_.since(when)),
        {record_.field("spec.unschedulable")});
  }

  const NodeCase& of_;
  const model::Node& node_;
  bool asked_;
  std::vector<const model::Taint*> open_;  // those that keep the pod away
  bool only_taints_ = true;
  NodeRecord record_;
};

}  // namespace

std::vector<Finding> node_findings(const NodeCase& of, bool asked) {
  return NodeFinder(of, asked).find();
}

}  // namespace dsdoctor::diagnosis
