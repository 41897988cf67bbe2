#include "diagnosis/diagnose.h"

#include <algorithm>
#include <iterator>

#include "diagnosis/control_findings.h"
#include "diagnosis/identity_findings.h"
#include "diagnosis/node_findings.h"
#include "diagnosis/ranking.h"

namespace dsdoctor::diagnosis {
namespace {

using Findings = std::vector<Finding>;

void append(Findings& into, Findings more) { std::ranges::move(more, std::back_inserter(into)); }

/// Anything about the node that could be worth a word; most nodes are cheap to pass over.
bool is_remarkable(const model::Node& node) {
  if (node.meta.deleted || node.unschedulable) return true;
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  if (ready != nullptr && ready->status != "True") return true;
  return std::ranges::any_of(node.taints,
                             [](const model::Taint& t) { return t.effect != "PreferNoSchedule"; });
}

class Examiner {
 public:
  Examiner(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report)
      : of_(of), examination_(examination), report_(report) {}

  void examine() {
    of_daemon_set_ = control_findings(of_);
    for (NodeReport& node : report_.nodes) examine(node);
    append(of_daemon_set_, identity_findings(of_));
    append(of_daemon_set_, count_findings(of_));
    std::ranges::stable_sort(of_daemon_set_, {}, &Finding::severity);
    report_.findings = std::move(of_daemon_set_);
  }

 private:
  void examine(NodeReport& report) {
    const model::Node* node = model::find_node(of_.facts.cluster(), report.name);
    if (node == nullptr) return;
    const bool asked = examination_.asks && examination_.asks(*node);
    const bool fine =
        report.verdict == NodeVerdict::Running || report.verdict == NodeVerdict::Excluded;
    if (fine && !asked && !is_remarkable(*node)) return;
    if (report.verdict == NodeVerdict::Running && !asked) return;
    const auto found = examination_.pods.find(report.name);
    const NodeCase of_node{of_, *node, found == examination_.pods.end() ? none_ : found->second,
                           report};
    Findings findings = node_findings(of_node, asked);
    append(findings, umbrella(report.verdict));
    rank(findings, report.verdict);
    report.findings = std::move(findings);
  }

  /// The first cause that explains every node of that verdict at once.
  [[nodiscard]] Findings umbrella(NodeVerdict verdict) const {
    const auto at = std::ranges::find_if(
        of_daemon_set_, [&](const Finding& finding) { return is_umbrella(finding, verdict); });
    return at == of_daemon_set_.end() ? Findings() : Findings{*at};
  }

  const DaemonSetCase& of_;
  const Examination& examination_;
  DaemonSetReport& report_;
  Findings of_daemon_set_;
  const std::vector<const model::Pod*> none_;
};

}  // namespace

void diagnose(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report) {
  Examiner(of, examination, report).examine();
}

}  // namespace dsdoctor::diagnosis
