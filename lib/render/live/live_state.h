// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "model/cluster.h"
#include "render/words/style.h"

/// A watched answer: its states as text, the changes between them, and how both are shown. A state
/// refers to nothing else, so that a recording is shown like a cluster.
namespace dsdoctor::render {

struct LiveProblem {
  std::string id;
  std::string finding;
  std::string severity;  // "error"
  std::string action;    // "needed", "overdue", "none"
  std::string title;
  std::string affected;  // "logging/fluent-bit, 1 node: ip-10-0-1-3"
  std::size_t placements = 0;
  model::OptionalTime since = {};
  model::OptionalTime resolves_at = {};
  std::vector<std::string> nodes = {};        // the first ones
  std::vector<std::string> daemon_sets = {};  // "logging/fluent-bit"
  std::vector<std::string> details = {};      // lines: example, fix, evidence
  std::string command = {};                   // of the fix, or that explains the problem

  friend bool operator==(const LiveProblem&, const LiveProblem&) = default;
};

/// A row of the table of DaemonSets.
struct LiveRow {
  std::string name;                 // "logging/fluent-bit"
  std::vector<std::string> counts;  // under `live_columns`

  friend bool operator==(const LiveRow&, const LiveRow&) = default;
};

/// The titles of LiveRow::counts.
[[nodiscard]] const std::vector<std::string>& live_columns();

struct LiveState {
  model::Time time = {};
  std::string scope;                        // "prod  Kubernetes v1.36.2  112 nodes  64 DaemonSets"
  std::string summary;                      // "2 problems need action", or that nothing is wrong
  std::vector<LiveProblem> problems = {};   // the most important first
  std::vector<LiveRow> daemon_sets = {};    // the worst first
  std::vector<std::string> omissions = {};  // sentences
  std::string failure = {};                 // why there is no answer; else empty

  [[nodiscard]] const LiveProblem* find(std::string_view id) const;
};

/// `calm`: the sentence if there is no problem; empty: that nothing is wrong.
[[nodiscard]] LiveState live_state(const fixes::Explanation& explanation,
                                   const model::SourceInfo& source,
                                   const std::vector<model::Omission>& omissions,
                                   const Presentation& style, const std::string& calm = {});

}  // namespace dsdoctor::render
