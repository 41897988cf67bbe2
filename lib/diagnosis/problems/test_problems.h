// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/problems/find_problems.h"
#include "render/words/message_text.h"

/// Builders for reports and their problems.
namespace dsdoctor::diagnosis::testing {

using render::text_of;

/// A message with an arbitrary text.
inline Message said(std::string_view text) { return phrase::PodIsRejected{.reason = text}; }

inline std::string title_text(const Problem& problem) { return render::title_of(problem).text; }

inline Finding found(FindingId id, Severity severity, std::string message) {
  Finding result;
  result.id = id;
  result.severity = severity;
  result.message = said(message);
  result.standing = Standing::Primary;
  return result;
}

inline OwnNodeReport node(const char* name, NodeVerdict verdict,
                          std::vector<Finding> findings = {}) {
  NodeState state;
  state.verdict = verdict;
  state.findings = std::move(findings);
  return {name, std::move(state)};
}

inline DaemonSetReport daemon_set(const char* name, const std::vector<OwnNodeReport>& nodes) {
  DaemonSetReport result;
  result.ns = "x";
  result.name = name;
  for (const OwnNodeReport& one : nodes) result.nodes.push_back(one);
  result.evaluated.counts.desired_number_scheduled = 5;
  result.evaluated.counts.number_ready = 1;
  return result;
}

inline Finding not_ready() { return found(FindingId::NodeNotReady, Severity::Error, "NotReady"); }

inline Finding quota(const char* name) {
  Finding result = found(FindingId::CreateQuotaExceeded, Severity::Error, "exceeded quota");
  result.root = name;
  return result;
}

inline Problems joined(const std::vector<DaemonSetReport>& reports,
                       const std::vector<Accepted>& ignored = {}) {
  std::vector<const DaemonSetReport*> pointers;
  for (const DaemonSetReport& report : reports) pointers.push_back(&report);
  return find_problems(pointers, {}, ignored);
}

inline std::vector<std::string> ids(const Problems& problems) {
  std::vector<std::string> result;
  for (const Problem& problem : problems.problems) result.push_back(problem.id);
  return result;
}

using Ids = std::vector<std::string>;

}  // namespace dsdoctor::diagnosis::testing
