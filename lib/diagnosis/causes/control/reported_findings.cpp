// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/causes/control/count_findings.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

Message unknown_of(const DaemonSetReport& report, bool lacks_pods) {
  if (!report.evaluated.all_nodes_known) return phrase::NotAllNodesWereRead{};
  if (report.evaluated.nodes_known) return phrase::NodesWithPodsAreUnknown{};
  if (lacks_pods) return phrase::NodesWithoutPodsAreUnknown{};
  return phrase::MisscheduledPodsAreUnknown{};
}

std::vector<Evidence> evidence_of(const model::DaemonSet& ds) {
  const model::DaemonSetCounts& counts = ds.reported;
  const auto row = [&](const char* path, std::int64_t count) {
    return Evidence{ref_of(ds), path, std::to_string(count)};
  };
  return {row("status.desiredNumberScheduled", counts.desired_number_scheduled),
          row("status.numberReady", counts.number_ready),
          row("status.numberMisscheduled", counts.number_misscheduled)};
}

/// True if pods are on as many nodes as the controller counts, or if it counts no more unready pods
/// than were read: then the pods' own findings cover every problem.
bool has_all_pods(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  if (report.evaluated.nodes_known || !report.evaluated.pods_known) return false;
  const model::DaemonSetCounts& counts = report.reported;
  const auto nodes = static_cast<std::int64_t>(report.nodes.size());  // nodes named by pods
  if (counts.desired_number_scheduled + counts.number_misscheduled <= nodes) return true;
  const auto unready = std::ranges::count_if(of.claimed.owned, [](const model::Pod* pod) {
    return !is_ready(*pod) && !is_terminal(*pod);
  });
  return counts.current_number_scheduled == counts.desired_number_scheduled &&
         counts.desired_number_scheduled - counts.number_ready <= unready;
}

/// Whether nodes that were not read have, according to status, fewer ready pods than desired.
bool lacks_more_elsewhere(const DaemonSetReport& report) {
  const auto lacking = [](const model::DaemonSetCounts& counts) {
    return counts.desired_number_scheduled - counts.number_ready;
  };
  return !report.evaluated.all_nodes_known &&
         lacking(report.reported) > lacking(report.evaluated.counts);
}

/// Whether a pod was deleted and its replacement does not exist yet.
bool is_between_pods(const DaemonSetCase& of) {
  const model::DaemonSetCounts& counts = of.report.reported;
  const model::Event* deleted = newest(of.events.own(), {"SuccessfulDelete"});
  return counts.updated_number_scheduled < counts.desired_number_scheduled && deleted != nullptr &&
         is_younger(deleted->last, threshold::missing, of.facts.now());
}

}  // namespace

std::vector<Finding> reported_findings(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  const model::DaemonSetCounts& counts = report.reported;
  if (report.evaluated.nodes_known && report.covered && !lacks_more_elsewhere(report)) return {};
  if (!report.observed || of.ds.meta.deleted) return {};
  const bool lacks_pods =
      counts.number_ready < counts.desired_number_scheduled && !has_all_pods(of);
  if (!lacks_pods && counts.number_misscheduled == 0) return {};
  Finding finding = make_finding(
      finding::DaemonsetStatusNotReady{
          .current = counts.current_number_scheduled,
          .desired = counts.desired_number_scheduled,
          .misscheduled = counts.number_misscheduled,
          .ready = counts.number_ready,
          .the_nodes_were_read = report.evaluated.nodes_known && report.evaluated.all_nodes_known,
          .the_pods_were_read = report.covered,
          .unknown = unknown_of(report, lacks_pods)},
      evidence_of(of.ds), names_of(of));
  finding.basis = Basis::Reported;
  const bool is_fresh = is_younger(of.ds.meta.created, threshold::missing, of.facts.now());
  finding.transient = is_fresh || (lacks_pods && report.covered && is_between_pods(of));
  // Whether to remove a misscheduled pod depends on why its node is excluded.
  if (!lacks_pods || finding.transient) finding.severity = Severity::Info;
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
