// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/report.h"

#include <algorithm>

#include "diagnosis/catalogue/role.h"

namespace dsdoctor::diagnosis {

const model::Text* ReasonsOfNode::value(std::size_t at) const {
  if (labels_ != nullptr) return placement::value_of_node(shared_[at], name_, *labels_);
  const auto value = [](const std::optional<model::Text>& have) { return have ? &*have : nullptr; };
  if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&shared_[at])) {
    return value(label->have);
  }
  return value(std::get<placement::AffinityTermMismatch>(shared_[at]).have);
}

bool operator==(const ReasonsOfNode& a, const ReasonsOfNode& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a.has_value(i) ? a[i] == b[i] : a.shared_[i] == b.shared_[i];
    if (!same) return false;
  }
  return true;
}

OwnNodeReport::OwnNodeReport(const NodeReport& other) : OwnNodeReport(other.name, other.state) {
  if (other.labels == nullptr || other.reasons().empty()) return;
  const ReasonsOfNode reasons = other.reasons();
  std::vector<placement::Reason> own;
  own.reserve(reasons.size());
  for (const placement::Reason& reason : reasons) own.push_back(reason);
  state.own().reasons = std::move(own);
}

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
