// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/report.h"

#include <algorithm>

#include "diagnosis/catalogue/role.h"

namespace dsdoctor::diagnosis {

bool is_wrong(const NodeState& state) {
  if (state.verdict == NodeVerdict::Excluded) return false;
  return is_wrong(state.verdict) || std::ranges::any_of(state.findings, [](const Finding& finding) {
           return finding.severity != Severity::Info;
         });
}

bool is_worth_saying(const Finding& finding) {
  return finding.severity != Severity::Info || !role_of(finding.id).quiet;
}

bool is_surge(const model::DaemonSet& ds) {
  return ds.update_strategy != "OnDelete" && ds.max_surge && ds.max_surge->value > 0;
}

}  // namespace dsdoctor::diagnosis
