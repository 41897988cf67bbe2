#include "diagnosis/report/report.h"

#include <algorithm>
#include <cstdlib>

namespace dsdoctor::diagnosis {

std::string_view to_string(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::Missing: return "missing";
    case NodeVerdict::Failed: return "failed";
    case NodeVerdict::Duplicate: return "duplicate";
    case NodeVerdict::Misscheduled: return "misscheduled";
    case NodeVerdict::Removing: return "removing";
    case NodeVerdict::Pending: return "pending";
    case NodeVerdict::NotReady: return "not-ready";
    case NodeVerdict::Terminating: return "terminating";
    case NodeVerdict::Excluded: return "excluded";
    case NodeVerdict::Running: return "running";
    case NodeVerdict::Unknown: return "unknown";
  }
  std::abort();
}

bool is_wrong(NodeVerdict verdict) {
  return verdict != NodeVerdict::Running && verdict != NodeVerdict::Excluded &&
         verdict != NodeVerdict::Terminating && verdict != NodeVerdict::Unknown;
}

bool is_wrong(const NodeState& state) {
  if (state.verdict == NodeVerdict::Excluded) return false;
  return is_wrong(state.verdict) || std::ranges::any_of(state.findings, [](const Finding& finding) {
           return finding.severity != Severity::Info;
         });
}

bool is_worth_saying(const Finding& finding) {
  return finding.severity != Severity::Info || finding.id == FindingId::DriftNamespaceTolerations;
}

bool is_surge(const model::DaemonSet& ds) {
  return ds.update_strategy != "OnDelete" && ds.max_surge && ds.max_surge->value > 0;
}

}  // namespace dsdoctor::diagnosis
