// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/node_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/object_evidence.h"

namespace dsdoctor::diagnosis {

Finding& NodeRecord::add(const FindingKind& kind, std::vector<Evidence> evidence,
                         const model::Taint* taint) {
  findings_.push_back(make_finding(kind, std::move(evidence), names_of(of_)));
  Finding& finding = findings_.back();
  if (taint != nullptr) {
    finding.group = fmt::format("{}:{}", taint->key.view(), taint->effect.view());
  }
  return finding;
}

void NodeRecord::discount(std::size_t from, bool keep) {
  if (!keep) findings_.resize(std::min(from, findings_.size()));
  for (std::size_t i = from; i < findings_.size(); ++i) {
    findings_[i].severity = Severity::Info;
    findings_[i].standing = Standing::Context;
  }
}

void NodeRecord::ends_with_node(std::size_t from) {
  for (std::size_t i = from; i < findings_.size(); ++i) {
    findings_[i].message.notes.push_back(phrase::NodeIsBeingRemoved{});
    findings_[i].severity = Severity::Info;
    findings_[i].transient = true;
    findings_[i].fix.clear();
  }
}

Evidence NodeRecord::field(std::string_view path, std::string_view value) const {
  return {ref_of(of_.node), std::string(path), evidence_value(value)};
}

Evidence NodeRecord::condition(const model::Condition& condition) const {
  return condition_evidence(of_.node, condition);
}

Evidence NodeRecord::taint(const model::Taint& taint) const {
  return taint_evidence(of_.node, taint);
}

bool NodeRecord::is_within(const model::OptionalTime& moment, std::chrono::seconds limit) const {
  return moment && of_.of.facts.now() - *moment < limit;
}

}  // namespace dsdoctor::diagnosis
