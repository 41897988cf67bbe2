#include "advice/today.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::advice {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

std::string full_name(const model::Text& ns, const model::Text& name) {
  return fmt::format("{}/{}", ns.view(), name.view());
}

bool differ_in_tolerations_at_most(model::PodTemplate then, const model::PodTemplate& now) {
  then.tolerations = now.tolerations;
  return then == now;
}

bool has_same_counts(const diagnosis::DaemonSetReport& then,
                     const diagnosis::DaemonSetReport& now) {
  const auto counts = [](const diagnosis::DaemonSetReport& report) {
    const model::DaemonSetCounts& of = report.evaluated.counts;
    return std::tuple(report.all_nodes, of.desired_number_scheduled, of.current_number_scheduled,
                      of.number_misscheduled, of.number_ready);
  };
  return counts(then) == counts(now);
}

/// What is wrong with the DaemonSet as such, whatever its tolerations are. Remarks on its settings
/// hold them against all nodes, which are others now.
bool rests_on_objects(const diagnosis::Finding& finding) {
  using enum diagnosis::FindingId;
  return finding.severity != diagnosis::Severity::Info &&
         !is_any_of(finding.id, {TolerationComparisonGate, TolerationDead, TolerationOldMasterKey,
                                 TolerationSecondsLoop, TolerationTooBroad});
}

/// How many nodes are eligible or have a pod decides whether it is said, and how.
bool rests_on_counts(diagnosis::FindingId id) {
  using enum diagnosis::FindingId;
  return is_any_of(id, {DaemonsetFewerThanNodes, DaemonsetNoEligibleNode, DaemonsetNoneRunning,
                        DaemonsetStatusInconsistent, RolloutBudget, RolloutStuck, RolloutSurge});
}

/// Nobody has to act for it.
diagnosis::Finding would_be_created() {
  diagnosis::Finding result = diagnosis::make_finding(diagnosis::FindingId::NodeNewlyEligible,
                                                      "a pod would be created", {});
  result.standing = diagnosis::Standing::Primary;
  result.transient = true;
  return result;
}

/// By states of nodes: the same with other findings.
using OtherStates = std::map<std::uint32_t, std::uint32_t>;

/// Of the node at `at`: with these findings.
void say(diagnosis::NodeReports& nodes, std::size_t at, OtherStates& known,
         const std::vector<diagnosis::Finding>& findings) {
  const std::uint32_t before = nodes.state_of(at);
  const auto [entry, is_new] = known.try_emplace(before);
  if (is_new) {
    diagnosis::NodeState state = *nodes.states()[before].state;
    state.findings = findings;
    entry->second = nodes.add_state(std::move(state));
  }
  nodes.set(at, entry->second);
}

/// The node's verdict is as it was, and so is all that it rests on.
bool is_as_it_was(const NodeReport& then, const NodeReport& now) {
  return then.verdict() == now.verdict() && then.decision() == now.decision() &&
         then.reasons() == now.reasons() && then.pods() == now.pods();
}

}  // namespace

const model::DaemonSet* find_daemon_set(const model::Cluster& cluster, const model::Text& ns,
                                        const model::Text& name) {
  const auto at = std::ranges::find_if(cluster.daemon_sets, [&](const model::DaemonSet& ds) {
    return ds.meta.ns == ns && ds.meta.name == name;
  });
  return at == cluster.daemon_sets.end() ? nullptr : &*at;
}

Today::Today(const model::Cluster& before, const model::Cluster& after,
             std::vector<diagnosis::DaemonSetReport> reports) {
  for (const model::Node& node : after.nodes) {
    const model::Node* then = model::find_node(before, node.meta.name);
    if (then == nullptr) new_nodes_.insert(node.meta.name.str());
    if (then == nullptr || *then != node) changed_nodes_.insert(node.meta.name.str());
  }
  for (const model::DaemonSet& ds : after.daemon_sets) {
    if (find_daemon_set(before, ds.meta.ns, ds.meta.name) == nullptr) {
      new_daemon_sets_.insert(full_name(ds.meta.ns, ds.meta.name));
    }
  }
  for (diagnosis::DaemonSetReport& report : reports) {
    const model::DaemonSet* then = find_daemon_set(before, report.ns, report.name);
    const model::DaemonSet* now = find_daemon_set(after, report.ns, report.name);
    if (then == nullptr || now == nullptr) continue;
    if (!differ_in_tolerations_at_most(then->pod_template, now->pod_template)) {
      without_causes_.push_back(full_name(report.ns, report.name));
    }
    reports_.push_back(std::move(report));
  }
  std::ranges::sort(without_causes_);
}

void Today::complete(diagnosis::DaemonSetReport& report) const {
  const auto then = std::ranges::find_if(reports_, [&](const auto& other) {
    return other.ns == report.ns && other.name == report.name;
  });
  const diagnosis::DaemonSetReport* today = then == reports_.end() ? nullptr : &*then;
  const std::string name = full_name(report.ns, report.name);
  const bool holds_on = today != nullptr && !std::ranges::binary_search(without_causes_, name);
  report.findings.clear();
  keep_causes(report, holds_on ? today : nullptr);
  if (holds_on) keep_findings(report, *today);
  if (today != nullptr || new_daemon_sets_.contains(name)) add_created(report, today);
}

void Today::add_created(diagnosis::DaemonSetReport& report,
                        const diagnosis::DaemonSetReport* today) const {
  OtherStates created;
  const std::vector<diagnosis::Finding> findings = {would_be_created()};
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    if (node.verdict() != NodeVerdict::Missing) continue;
    const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
    const bool was_out = at ? !placement::should_run(at->decision())
                            : today == nullptr || new_nodes_.contains(node.name.view());
    if (was_out) say(report.nodes, i, created, findings);
  }
}

void Today::keep_causes(diagnosis::DaemonSetReport& report,
                        const diagnosis::DaemonSetReport* today) const {
  OtherStates silent;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
    const bool same = at && is_as_it_was(*at, node);
    // Why a node is not eligible is in its reasons; what hinders a pod may be what was changed.
    const bool is_judged_anew =
        placement::should_run(node.decision()) && changed_nodes_.contains(node.name.view());
    if (same && !is_judged_anew) {
      report.nodes.set(i, at->state);
    } else if (!same && !(at && node.verdict() == NodeVerdict::Misscheduled)) {
      say(report.nodes, i, silent, {});
    }
  }
}

void Today::keep_findings(diagnosis::DaemonSetReport& report,
                          const diagnosis::DaemonSetReport& today) {
  const bool same_counts = has_same_counts(today, report);
  std::ranges::copy_if(
      today.findings, std::back_inserter(report.findings), [&](const diagnosis::Finding& finding) {
        return rests_on_objects(finding) && (same_counts || !rests_on_counts(finding.id));
      });
}

}  // namespace dsdoctor::advice
