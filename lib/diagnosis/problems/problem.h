// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/problems/placements.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "model/shared.h"

namespace dsdoctor::diagnosis {

/// Whether a problem needs action, most urgent first.
enum class Action {
  Needed,
  Overdue,  // the problem should have resolved by now
  None,     // the problem resolves without action
};

[[nodiscard]] constexpr std::string_view to_string(Action action) {
  switch (action) {
    case Action::Needed: return "needed";
    case Action::Overdue: return "overdue";
    case Action::None: return "none";
  }
  return "";
}

/// The object to change or to wait for.
struct Root {
  std::string kind;  // "Node", "Taint", "DaemonSet", "ControlPlane", "ResourceQuota", ...
  std::string ns;    // empty if the kind is not namespaced
  std::string name;  // "dedicated:NoSchedule" for a taint; empty for several nodes

  friend bool operator==(const Root&, const Root&) = default;
};

/// Another finding of the same placements.
struct Beside {
  std::string_view finding;
  Message message;  // message of the first placement

  friend bool operator==(const Beside&, const Beside&) = default;
};

/// One thing to fix or to wait for: all findings with the same root, across nodes and DaemonSets.
struct Problem {
  std::string id;            // "create-quota-exceeded=logging/compute": see problem_id.h
  std::string_view finding;  // id in the catalogue; a verdict if no finding explains it
  Severity severity = Severity::Info;
  Action action = Action::Needed;
  Message title;    // the common part of all messages; some values may be Varying
  Message message;  // of the first placement; without placements, of the first DaemonSet
  Root root;
  model::OptionalTime since = {};
  model::OptionalTime resolves_at = {};  // when it should end, if known; in the past if overdue
  Placements placements;                 // the wrong placements that it causes
  Placements left_out = {};              // nodes that are not eligible because of it; not wrong
  std::vector<std::size_t> daemon_sets;  // into the reports; ascending
  model::SharedList<model::Text> nodes;  // sorted by name
  std::vector<Beside> also;              // other findings of these placements, by id
  std::vector<Step> fix;
  std::vector<Evidence> evidence;

  friend bool operator==(const Problem&, const Problem&) = default;
};

[[nodiscard]] inline bool needs_action(const Problem& problem) {
  return problem.action != Action::None;
}

/// The number of placements whose node is eligible or that have a pod.
[[nodiscard]] inline std::size_t expected_placements(const DaemonSetReport& report) {
  return report.nodes.size() - static_cast<std::size_t>(report.nodes.count(NodeVerdict::Excluded));
}

/// Sorts by importance, the most important first.
void sort_by_urgency(std::vector<Problem>& problems);

/// Globs for the parts of an id, for problems that the user accepts. An empty glob matches
/// anything.
struct Accepted {
  std::string finding;
  std::string root;
  std::string part = {};
};

/// Selects the problems that count.
struct Attention {
  Severity threshold = Severity::Warning;  // minimum; Info: all problems
  std::vector<Accepted> ignored;
};

/// Whether the problem needs attention, so that the check fails.
[[nodiscard]] inline bool counts(const Problem& problem, const Attention& attention) {
  if (attention.threshold == Severity::Info) return true;
  return needs_action(problem) && problem.severity <= attention.threshold;
}

/// A finding that is worth knowing, but is not a problem.
struct Remark {
  std::string_view finding;
  std::string_view title;  // in the catalogue
  std::vector<std::size_t> daemon_sets;
  bool ahead = false;  // harmless until a later event
};

/// All problems and remarks of the reports.
struct Problems {
  std::vector<Problem> problems;  // most important first
  std::vector<Remark> remarks;    // those about later events first, then those of most DaemonSets
  std::size_t placements = 0;     // number of placements in the reports, without excluded ones
  std::size_t affected = 0;       // number of wrong placements: the sum over all problems
  std::size_t ignored = 0;        // number of accepted problems, which are not listed
  std::vector<std::size_t> accepted = {};  // DaemonSets whose problems are all accepted
};

}  // namespace dsdoctor::diagnosis
