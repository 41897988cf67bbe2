// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/count_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/report/pod_signs.h"
#include "model/release.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

/// Since Kubernetes 1.33 the controller recounts only after some changes of a node. Nodes that
/// became eligible or ineligible otherwise remain in their old counter.
/// Source of truth: shouldIgnoreNodeUpdate, syncNodeUpdate,
/// pkg/controller/daemon/daemon_controller.go.
bool is_uncounted_node_change(const DaemonSetCase& of) {
  if (!of.facts.is_known_to_apply(model::ReleaseRule::NodeChangesMayLeaveStatusStale)) return false;
  std::int64_t desired = 0;
  std::int64_t misscheduled = 0;
  for (const CountDifference& difference : *of.report.differences) {
    const std::int64_t more = difference.reported - difference.evaluated;
    if (difference.field == "desiredNumberScheduled") desired = more;
    if (difference.field == "numberMisscheduled") misscheduled = more;
  }
  const bool moved = desired > 0 ? misscheduled <= 0 && -misscheduled <= desired
                                 : misscheduled > 0 && misscheduled == -desired;
  return moved && std::ranges::all_of(*of.report.differences, [&](const auto& difference) {
           if (difference.field == "numberMisscheduled") return true;
           const std::int64_t more = difference.reported - difference.evaluated;
           return desired > 0 ? more > 0 && more <= desired : more < 0 && more >= desired;
         });
}

/// Numbers of changes that are too recent for status to count: lists are read one after the other,
/// and the controller reacts with a delay.
struct Changes {
  std::int64_t nodes = 0;      // nodes that joined
  std::int64_t pods = 0;       // pods that were created, or deleted and not replaced yet
  std::int64_t readiness = 0;  // pods whose readiness or availability changed
};

bool is_lately(const model::OptionalTime& moment, const DaemonSetCase& of) {
  return is_younger(moment, threshold::counted, of.facts.now());
}

bool changed_readiness(const model::Pod& pod, const DaemonSetCase& of) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (ready == nullptr || !ready->last_transition) return false;
  const model::Time available = *ready->last_transition + min_ready_time(of.ds.min_ready_seconds);
  return is_lately(ready->last_transition, of) ||
         (available <= of.facts.now() && is_lately(available, of));
}

/// Whether the pod is missing, but will be created without action.
bool waits_for_pod(const NodeState& state) {
  return state.verdict == NodeVerdict::Missing &&
         std::ranges::any_of(state.findings, [](const Finding& finding) {
           return finding.transient && finding.severity == Severity::Info;
         });
}

Changes latest_changes(const DaemonSetCase& of) {
  Changes result;
  for (const model::Node& node : of.facts.cluster().nodes) {
    if (is_lately(node.meta.created, of)) ++result.nodes;
  }
  for (const model::Pod* pod : of.claimed.owned) {
    if (is_lately(pod->meta.created, of)) {
      ++result.pods;
    } else if (changed_readiness(*pod, of)) {
      ++result.readiness;
    }
  }
  for (const auto& [state, nodes] : of.report.nodes.states()) {
    if (waits_for_pod(*state)) result.pods += static_cast<std::int64_t>(nodes);
  }
  return result;
}

/// Maximum lag of the counter.
std::int64_t leeway(const Changes& changes, std::string_view field) {
  if (field == "desiredNumberScheduled") return changes.nodes;
  if (field == "numberReady" || field == "numberAvailable") return changes.pods + changes.readiness;
  if (field == "currentNumberScheduled" || field == "updatedNumberScheduled") return changes.pods;
  return 0;
}

bool is_about_to_be_counted(const DaemonSetCase& of) {
  const Changes changes = latest_changes(of);
  return std::ranges::all_of(*of.report.differences, [&](const CountDifference& difference) {
    return std::abs(difference.reported - difference.evaluated) <=
           leeway(changes, difference.field);
  });
}

/// True if admission may add a node selector to the pods, which reduces the eligible nodes. Neither
/// the namespace nor any pod was read to check it.
bool may_be_selected_by_namespace(const DaemonSetCase& of) {
  const model::Cluster& cluster = of.facts.cluster();
  return !of.report.evaluated.pods_known && !cluster.known.namespaces &&
         of.facts.ns(of.ds.meta.ns) == nullptr &&
         std::ranges::all_of(*of.report.differences, [](const CountDifference& difference) {
           return difference.reported < difference.evaluated;
         });
}

}  // namespace

std::vector<Finding> count_findings(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  // The controller does not write the status of a DaemonSet that it skips.
  const bool skipped = of.ds.selector && placement::selects_everything(*of.ds.selector);
  if (!report.differences || report.differences->empty() || of.ds.meta.deleted || skipped ||
      of.ds.generation > of.ds.observed_generation) {
    return {};
  }
  if (is_about_to_be_counted(of)) return {};
  const bool may_be_selected = may_be_selected_by_namespace(of);
  if (may_be_selected && of.facts.cluster().version) return {};  // the server denied the read
  std::vector<Message> counters;
  std::vector<Evidence> evidence;
  for (const CountDifference& difference : *report.differences) {
    counters.push_back(phrase::CounterDiffers{.counter = difference.field,
                                              .evaluated = difference.evaluated,
                                              .reported = difference.reported});
    evidence.emplace_back(ref_of(of.ds), fmt::format("status.{}", difference.field),
                          std::to_string(difference.reported));
  }
  Finding finding = make_finding(
      finding::DaemonsetStatusInconsistent{
          .counters = std::move(counters),
          .its_namespace = may_be_selected ? of.ds.meta.ns.view() : std::string_view()},
      std::move(evidence), names_of(of));
  if (is_uncounted_node_change(of)) {
    finding.severity = Severity::Info;
    finding.message.notes.push_back(phrase::ChangesOfNodesAreNotCounted{});
  }
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
