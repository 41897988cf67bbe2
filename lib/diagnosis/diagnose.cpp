// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/control/control_findings.h"
#include "diagnosis/causes/control/count_findings.h"
#include "diagnosis/causes/control/identity_findings.h"
#include "diagnosis/causes/control/reach_findings.h"
#include "diagnosis/causes/creation/creation_findings.h"
#include "diagnosis/causes/creation/silent_creation.h"
#include "diagnosis/causes/nodes/node_findings.h"
#include "diagnosis/causes/nodes/platform_findings.h"
#include "diagnosis/causes/pending/pending.h"
#include "diagnosis/causes/pods/pod_findings.h"
#include "diagnosis/causes/pods/stray_findings.h"
#include "diagnosis/causes/pods/twin_findings.h"
#include "diagnosis/causes/providers/absent_provider.h"
#include "diagnosis/causes/providers/absent_writer.h"
#include "diagnosis/causes/rollout/rollout_findings.h"
#include "diagnosis/causes/template/ahead_findings.h"
#include "diagnosis/causes/template/drift_findings.h"
#include "diagnosis/causes/template/label_findings.h"
#include "diagnosis/causes/template/spec_findings.h"
#include "diagnosis/causes/template/toleration_findings.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/ranking.h"

namespace dsdoctor::diagnosis {
namespace {

using Findings = std::vector<Finding>;

void append(Findings& into, Findings more) { std::ranges::move(more, std::back_inserter(into)); }

/// Whether the node may have findings; a fast check that excludes most nodes.
bool is_remarkable(const model::Node& node) {
  if (node.meta.deleted || node.unschedulable) return true;
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  if (ready != nullptr && ready->status != "True") return true;
  return std::ranges::any_of(node.taints,
                             [](const model::Taint& t) { return t.effect != "PreferNoSchedule"; });
}

/// Whether the node has a NoExecute taint, which can repeatedly evict a pod that is currently
/// running.
bool has_no_execute(const model::Node& node) {
  return std::ranges::any_of(node.taints,
                             [](const model::Taint& t) { return t.effect == "NoExecute"; });
}

bool deletes_pod(const Step& step) {
  if (!step.command) return false;
  const auto& words = step.command->words;
  const auto at = std::ranges::find(words, "delete");
  return at != words.end() && std::next(at) != words.end() && *std::next(at) == "pod";
}

bool is_warming(const PodReport& pod) { return pod.ready && !pod.available && !pod.terminating; }

class Examiner {
 public:
  Examiner(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report)
      : of_(of), examination_(examination), report_(report) {}

  void examine() {
    control_ = identity_causes(of_);
    append(control_, control_findings(of_));
    creation_ = creation_findings(of_);
    predicted_ = predicted_creation_findings(of_);
    drop_repetitions();
    platforms_ = operating_system_findings(of_);
    platforms_.merge(architecture_findings(of_));  // for nodes that do not have a finding yet
    examine_nodes();
    Findings all = control_;
    append(all, rollout_findings(of_, creates_pods()));
    append(all, creation_);
    append(all, predicted_);
    append(all, identity_findings(of_));
    append(all, reported_findings(of_));
    append(all, count_findings(of_));
    append(all, stray_pod_findings(of_));
    append(all, lost_target_findings(of_));
    append(all, absent_provider_findings(of_));
    append(all, absent_writer_findings(of_));
    append(all, twins());
    append(all, drift_findings(of_));
    append(all, spec_findings(of_));
    append(all, toleration_findings(of_));
    append(all, of_quiet_nodes());
    if (examination_.named || examination_.ahead) append(all, lost_node_findings(of_));
    if (examination_.named) append(all, lint_findings(of_));
    if (examination_.named) append(all, clock_findings(of_));
    if (examination_.named || examination_.ahead) append(all, ahead_findings(of_, all));
    std::ranges::stable_sort(all, {}, &Finding::severity);
    explain_vanished(all);
    report_.findings = std::move(all);
  }

 private:
  static bool warns(NodeVerdict verdict, const Finding& finding) {
    if (verdict == NodeVerdict::Running) return finding.severity <= Severity::Error;
    return verdict == NodeVerdict::Excluded && finding.severity <= Severity::Critical;
  }

  /// Findings of running nodes with at least severity Error, and critical findings of excluded
  /// nodes, as findings of the DaemonSet: users do not look for them at these nodes.
  [[nodiscard]] Findings of_quiet_nodes() const {
    Findings result;
    std::vector<std::vector<std::string>> nodes;
    const auto warned = report_.nodes.where([](const NodeState& state) {
      return std::ranges::any_of(
          state.findings, [&](const Finding& finding) { return warns(state.verdict, finding); });
    });
    for (const std::size_t i : warned) {
      const NodeReport node = report_.nodes[i];
      for (const Finding& finding : node.findings()) {
        if (!warns(node.verdict(), finding)) continue;
        const auto same = std::ranges::find_if(result, [&](const Finding& other) {
          return other.id == finding.id && other.group == finding.group;
        });
        if (same == result.end()) {
          result.push_back(finding);
          nodes.push_back({node.name.str()});
        } else {
          nodes[static_cast<std::size_t>(same - result.begin())].push_back(node.name.str());
        }
      }
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].standing = Standing::Also;
      result[i].message = phrase::OnNodes{.finding = result[i].message, .nodes = nodes[i]};
      result[i].nodes = std::move(nodes[i]);
    }
    return result;
  }

  /// Second instances of the program; those without a conflict only if the user asked for the
  /// DaemonSet or for notes.
  [[nodiscard]] Findings twins() const {
    Findings result = twin_findings(of_);
    if (!examination_.named && !examination_.ahead) {
      std::erase_if(result, [](const Finding& one) { return one.severity == Severity::Info; });
    }
    return result;
  }

  /// Do not predict a rejection that has already happened.
  void drop_repetitions() {
    const auto has = [](const Findings& findings, FindingId id) {
      return std::ranges::find(findings, id, &Finding::id) != findings.end();
    };
    std::erase_if(predicted_, [&](const Finding& finding) { return has(creation_, finding.id); });
    // A controller that has never processed the spec has not reached the predicted rejections.
    if (of_.ds.observed_generation == 0 && has(control_, FindingId::ControllerNotObserving)) {
      for (Finding& finding : predicted_)
        finding.severity = std::max(finding.severity, Severity::Error);
    }
    if (!has(control_, FindingId::ControllerRbacForbidden)) return;
    std::erase_if(creation_,
                  [](const Finding& finding) { return finding.id == FindingId::CreateRbac; });
  }

  [[nodiscard]] bool creates_pods() const {
    return std::ranges::none_of(control_, stops_creation) &&
           std::ranges::none_of(creation_, stops_creation) &&
           std::ranges::none_of(predicted_, stops_creation);
  }

  /// The node at index `at` of the report; null if it could not be read. Shared names are those of
  /// the cluster's nodes.
  [[nodiscard]] const model::Node* object_of(std::size_t at) const {
    const model::Cluster& cluster = of_.facts.cluster();
    if (report_.nodes.shares_names()) return &cluster.nodes[report_.nodes.name_index(at)];
    return model::find_node(cluster, report_.nodes[at].name.view());
  }

  void examine_nodes() {
    NodeReports& nodes = report_.nodes;
    // Findings by state. States that are added below belong to a single node.
    std::vector<std::optional<Findings>> said(nodes.states().size());
    std::vector<std::size_t> apart;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const model::Node* node = object_of(i);
      if (!is_like_others(i, node)) {
        apart.push_back(i);
      } else if (auto& of_all = said[nodes.state_of(i)]; !of_all) {
        of_all = findings_on(nodes[i], node);
      }
    }
    for (const std::size_t i : apart) {
      const auto& of_others = said[nodes.state_of(i)];
      Findings findings = findings_on(nodes[i], object_of(i));
      if (!findings.empty() || (of_others && !of_others->empty())) {
        nodes.change(i, [&](NodeState& state) { state.findings = std::move(findings); });
      }
    }
    for (std::uint32_t i = 0; i < said.size(); ++i) {
      if (!said[i] || said[i]->empty()) continue;
      nodes.change_state(i, [&](NodeState& state) { state.findings = std::move(*said[i]); });
    }
  }

  /// Whether the findings of the node depend only on its state, so that all nodes with that state
  /// have the same ones. `node`: null if it could not be read.
  [[nodiscard]] bool is_like_others(std::size_t at, const model::Node* node) {
    if (examination_.classes == nullptr || node == nullptr) return false;
    const auto index = static_cast<std::size_t>(node - of_.facts.cluster().nodes.data());
    if (!examination_.classes->is_quiet(examination_.classes->of(index))) return false;
    const NodeState& state = *report_.nodes.states()[report_.nodes.state_of(at)].state;
    if (!state.pods.empty()) return false;
    if (examination_.asks && examination_.asks(*node)) return false;
    if (of_.events.speak_of(node->meta.name)) return false;
    if (label_loss(*node, of_.ds, of_.events)) return false;
    if (!platforms_.empty() && platforms_.contains(node->meta.name.view())) return false;
    if (state.verdict != NodeVerdict::Missing || !predicts()) return true;
    if (prediction().has_none(*node)) return true;
    return prediction().findings({of_, *node, none_, report_.nodes[at]}).empty();
  }

  /// Whether findings for missing pods are predicted, because nothing else explains them.
  [[nodiscard]] bool predicts() {
    if (!predicts_) {
      predicts_ = creation_.empty() && predicted_.empty() && umbrella(NodeVerdict::Missing).empty();
    }
    return *predicts_;
  }
  [[nodiscard]] PodPrediction& prediction() const {
    if (!prediction_) prediction_.emplace(of_);
    return *prediction_;
  }

  /// The findings of a node, ranked. `node`: null if it could not be read.
  [[nodiscard]] Findings findings_on(const NodeReport& report, const model::Node* node) {
    if (node == nullptr) return findings_of_pods(report);
    const bool asked = examination_.asks && examination_.asks(*node);
    const bool fine =
        report.verdict() == NodeVerdict::Running || report.verdict() == NodeVerdict::Excluded;
    const bool warms = std::ranges::any_of(report.pods(), is_warming);
    if (fine && !asked && !warms && !is_remarkable(*node) && node->meta.managers.empty()) return {};
    if (report.verdict() == NodeVerdict::Running && !asked && !warms && !has_no_execute(*node)) {
      return {};
    }
    const auto found = examination_.pods.find(report.name);
    const NodeCase of_node{of_, *node, found == examination_.pods.end() ? none_ : found->second,
                           report};
    Findings findings = node_findings(of_node, asked);
    append(findings, label_findings(of_node, asked));
    const Findings explained = umbrella(report.verdict());
    append(findings, explained.empty() ? of_pods(of_node, asked) : explained);
    rank(findings, report.verdict());
    const bool one_follows =
        placement::should_run(report.decision()) && report.verdict() != NodeVerdict::Duplicate;
    if (one_follows) caution(findings);
    return findings;
  }

  /// Adds a warning to fixes that delete a pod if kube-controller-manager seems to be down: then no
  /// new pod would be created.
  void caution(Findings& findings) const {
    if (!of_.facts.controller_manager_silence()) return;
    for (Finding& finding : findings) {
      if (std::ranges::none_of(finding.fix, deletes_pod)) continue;
      finding.fix.insert(
          finding.fix.begin(),
          {"check kube-controller-manager first: it does not renew its lease, and no pod follows a "
           "deleted one until it works"});
    }
  }

  static void set(NodeReports& nodes, std::size_t at, Findings findings) {
    if (findings.empty()) return;
    nodes.change(at, [&](NodeState& state) { state.findings = std::move(findings); });
  }

  void explain_vanished(const Findings& all) {
    const auto told = std::ranges::find(all, FindingId::PodOnMissingNode, &Finding::id);
    if (told == all.end()) return;
    Finding of_node = *told;
    of_node.standing = Standing::Primary;
    of_node.nodes.clear();  // each node has its own finding
    for (std::size_t i = 0; i < report_.vanished_nodes.size(); ++i) {
      Finding finding = of_node;
      finding.message = phrase::NodeDoesNotExist{.node = report_.vanished_nodes[i].name};
      set(report_.vanished_nodes, i, {std::move(finding)});
    }
  }

  /// The findings of a node that could not be read, from its pods.
  [[nodiscard]] Findings findings_of_pods(const NodeReport& report) const {
    model::Node placeholder;
    placeholder.meta.name = report.name;
    const auto found = examination_.pods.find(report.name);
    if (found == examination_.pods.end()) return {};
    Findings findings = of_pods({of_, placeholder, found->second, report}, false);
    rank(findings, report.verdict());
    return findings;
  }

  /// The findings about the pods of the node, or about the missing pod.
  [[nodiscard]] Findings of_pods(const NodeCase& of, bool asked) const {
    Findings findings = pod_set_findings(of);
    if (const auto platform = platforms_.find(of.node.meta.name.view());
        platform != platforms_.end()) {
      findings.push_back(platform->second);
    }
    if (of.report.verdict() == NodeVerdict::Missing) {
      append(findings, of_missing_pod(of));
    } else if (!of.pods.empty() && (of.report.verdict() != NodeVerdict::Running || asked ||
                                    std::ranges::any_of(of.report.pods(), is_warming))) {
      append(findings, of_first_pod(of, *of.pods.front()));
    }
    return findings;
  }

  [[nodiscard]] Findings of_first_pod(const NodeCase& of, const model::Pod& pod) const {
    if (is_bound(pod)) return bound_pod_findings(of, pod);
    if (is_terminating(pod) || is_terminal(pod)) return {};
    Findings findings = pending_findings(of, pod);
    if (of.report.verdict() != NodeVerdict::Pending) {
      // The reasons why the node is not eligible have been reported.
      std::erase_if(findings, [](const Finding& finding) {
        return finding.id == FindingId::SchedTaint || finding.id == FindingId::SchedNodeSelector;
      });
      return findings;
    }
    const bool volumes = std::ranges::any_of(
        findings, [](const Finding& finding) { return is_about(finding.id, About::Volume); });
    if (volumes) append(findings, shared_claim_findings(of_));
    const auto down = std::ranges::find(control_, FindingId::SchedulerDown, &Finding::id);
    if (down != control_.end()) findings.insert(findings.begin(), *down);
    return findings;
  }

  /// Why the pod is missing: a rejection for all nodes, else findings about a deleted pod of the
  /// node, else a predicted rejection, else that the controller does not act.
  [[nodiscard]] Findings of_missing_pod(const NodeCase& of) const {
    if (!creation_.empty()) return {creation_.front()};
    Findings findings = gone_pod_findings(of);
    const bool told = std::ranges::any_of(findings, [](const Finding& finding) {
      return finding.standing != Standing::Context && finding.severity != Severity::Info;
    });
    if (told) return findings;
    if (!predicted_.empty()) {
      findings.push_back(predicted_.front());
      return findings;
    }
    append(findings, silent_creation_findings(of));
    // Without a known cause, add the predicted obstacles of the next pod.
    append(findings, prediction().findings(of));
    return findings;
  }

  /// The first finding of the control plane that explains all nodes with that verdict.
  [[nodiscard]] Findings umbrella(NodeVerdict verdict) const {
    const auto at = std::ranges::find_if(
        control_, [&](const Finding& finding) { return is_umbrella(finding, verdict); });
    return at == control_.end() ? Findings() : Findings{*at};
  }

  const DaemonSetCase& of_;
  const Examination& examination_;
  DaemonSetReport& report_;
  Findings control_;
  Findings creation_;
  Findings predicted_;
  FindingsByNode platforms_;
  std::optional<bool> predicts_;
  mutable std::optional<PodPrediction> prediction_;  // created on first use
  const std::vector<const model::Pod*> none_;
};

/// The causes of another controller's decisions are not known. Its missing pods have one finding.
void judge_placement_alone(const DaemonSetCase& of, DaemonSetReport& report) {
  const model::OtherKind& kind = *of.ds.other_kind;
  const auto missing = report.nodes.where(
      [](const NodeState& state) { return state.verdict == NodeVerdict::Missing; });
  std::optional<std::int64_t> without_pod;
  if (!missing.empty()) without_pod = static_cast<std::int64_t>(missing.size());
  Finding finding =
      make_finding(finding::DaemonsetOfOtherController{.group = model::api_group(kind.api_version),
                                                       .kind = kind.kind.view(),
                                                       .nodes = without_pod},
                   {{ref_of(of.ds), "apiVersion", kind.api_version.str()}}, names_of(of));
  if (missing.empty()) finding.severity = Severity::Info;
  report.findings = {finding};
  for (const std::size_t i : missing) {
    report.nodes.change(i, [&](NodeState& state) { state.findings = {finding}; });
  }
}

}  // namespace

void diagnose(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report) {
  if (of.ds.other_kind) return judge_placement_alone(of, report);
  Examiner(of, examination, report).examine();
}

}  // namespace dsdoctor::diagnosis
