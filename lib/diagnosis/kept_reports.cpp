// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/kept_reports.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "diagnosis/evidence/daemon_pods.h"

namespace dsdoctor::diagnosis {
namespace {

model::ObjectKey key_of(const model::DaemonSet& ds) {
  return {ds.meta.ns.str(), ds.meta.name.str()};
}

/// Whether there is nothing to say about the DaemonSet, and nothing is in progress.
bool is_settled(const DaemonSetReport& report) {
  const model::DaemonSetCounts& counts = report.evaluated.counts;
  const bool is_healthy =
      std::ranges::all_of(report.nodes.states(), [](const NodeReports::Use& use) {
        const bool is_fine = use.state->verdict == NodeVerdict::Running ||
                             use.state->verdict == NodeVerdict::Excluded;
        return use.nodes == 0 || (is_fine && use.state->findings.empty());
      });
  return is_healthy && report.is_complete() && report.observed && report.findings.empty() &&
         report.vanished_nodes.empty() && !report.deleted && !report.in_ending_namespace &&
         !report.other_kind && report.differences && report.differences->empty() &&
         report.evaluated.pods_known &&
         counts.number_available == counts.desired_number_scheduled &&
         counts.updated_number_scheduled == counts.desired_number_scheduled;
}

/// The things about which a second instance of a program on a node conflicts: its host ports, or
/// all ports of a program that uses the network of the node. See causes/pods/twin_findings.h.
std::set<std::string> links_of(const model::DaemonSet& ds) {
  std::set<std::string> links;
  const model::PodTemplate& pods = ds.pod_template;
  const auto add = [&](const auto& containers) {
    for (const model::Container& container : containers) {
      if (pods.host_network) links.emplace(program_of(container.image));
      for (const model::ContainerPort& port : container.ports) {
        if (port.host_port != 0) links.insert(std::to_string(port.host_port));
      }
    }
  };
  add(pods.spec.containers);
  add(pods.spec.init_containers);
  return links;
}

bool overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& each) { return b.contains(each); });
}

}  // namespace

void KeptReports::advance(const model::StateChanges& changes, const placement::FeatureGates& gates,
                          model::Time now) {
  const bool other_rules = gates_ && !(*gates_ == gates);
  const bool went_back = now < now_;
  gates_ = gates;
  now_ = now;
  if (changes.everything || other_rules || went_back) {
    reports_.clear();
    return;
  }
  std::erase_if(reports_, [&](const auto& entry) { return now - entry.second.since > longest; });
  if (changes.daemon_sets.empty()) return;
  std::set<std::string> links;
  for (const model::ObjectKey& changed : changes.daemon_sets) {
    const auto at = reports_.find(changed);
    if (at != reports_.end()) links.insert(at->second.links.begin(), at->second.links.end());
  }
  std::erase_if(reports_, [&](const auto& entry) {
    return changes.daemon_sets.contains(entry.first) || overlap(entry.second.links, links);
  });
}

const DaemonSetReport* KeptReports::find(const model::DaemonSet& ds, bool diagnoses) const {
  const auto at = reports_.find(key_of(ds));
  if (at == reports_.end() || !at->second.whole) return nullptr;
  const auto& report = diagnoses ? at->second.whole : at->second.verdicts;
  if (!report) return nullptr;
  ++reused_;
  return &*report;
}

void KeptReports::keep(const model::DaemonSet& ds, const DaemonSetReport& report, bool diagnoses) {
  if (ds.other_kind) return;
  Kept& kept = reports_[key_of(ds)];
  if (!diagnoses) {
    kept.verdicts = report;
    return;
  }
  if (!is_settled(report)) {
    kept.whole.reset();
    kept.links = links_of(ds);
    return;
  }
  kept.whole = report;
  kept.links = links_of(ds);
  kept.since = now_;
}

}  // namespace dsdoctor::diagnosis
