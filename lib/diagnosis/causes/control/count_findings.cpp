#include "diagnosis/causes/control/count_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/report/pod_signs.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

/// Since Kubernetes 1.33 the controller counts again only after some changes of a node: then nodes
/// are counted among those that are eligible or those that are not, and were moved since.
/// Source of truth: shouldIgnoreNodeUpdate, syncNodeUpdate, pkg/controller/daemon/
/// daemon_controller.go.
bool is_uncounted_node_change(const DaemonSetCase& of) {
  if (!is_at_least(of.facts.cluster(), 33)) return false;
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

/// Lists are read one after the other, and the controller needs a moment: pods that have just
/// become ready, or are ready no longer, may be counted as they were.
bool is_change_of_readiness(const DaemonSetCase& of) {
  std::int64_t changing = 0;
  for (const model::Pod* pod : of.claimed.owned) {
    const auto ready = model::find_condition(pod->conditions, "Ready");
    if (ready != nullptr && is_younger(ready->last_transition, threshold::counted, of.facts.now()))
      ++changing;
  }
  return std::ranges::all_of(*of.report.differences, [&](const CountDifference& difference) {
    const bool of_readiness =
        difference.field == "numberReady" || difference.field == "numberAvailable";
    return of_readiness && std::abs(difference.reported - difference.evaluated) <= changing;
  });
}

}  // namespace

std::vector<Finding> count_findings(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  // The controller writes no status of a DaemonSet that it skips.
  const bool skipped = of.ds.selector && placement::selects_everything(*of.ds.selector);
  if (!report.differences || report.differences->empty() || of.ds.meta.deleted || skipped ||
      of.ds.generation > of.ds.observed_generation) {
    return {};
  }
  if (is_change_of_readiness(of)) return {};
  std::vector<std::string> parts;
  for (const CountDifference& difference : *report.differences) {
    parts.push_back(fmt::format("{} {}, should be {}", difference.field, difference.reported,
                                difference.evaluated));
  }
  std::string message = fmt::format("status is outdated: {}", fmt::join(parts, "; "));
  const bool late = is_uncounted_node_change(of);
  if (late) message += stale_status_note;
  Finding finding =
      make_finding(FindingId::DaemonsetStatusInconsistent, std::move(message),
                   {fmt::format("DaemonSet/{} status", of.ds.meta.name.view())}, names_of(of));
  if (late) finding.severity = Severity::Info;
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
