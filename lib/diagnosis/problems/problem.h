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

/// Whether anybody has to do anything about a problem; the urgent ones first.
enum class Action {
  Needed,
  Overdue,  // it should have resolved by now
  None,     // it resolves without action
};

[[nodiscard]] constexpr std::string_view to_string(Action action) {
  switch (action) {
    case Action::Needed: return "needed";
    case Action::Overdue: return "overdue";
    case Action::None: return "none";
  }
  return "";
}

/// The object that is to be changed, or waited for.
struct Root {
  std::string kind;  // "Node", "Taint", "DaemonSet", "ControlPlane", "ResourceQuota", ...
  std::string ns;    // empty where the kind has none
  std::string name;  // "dedicated:NoSchedule" of a taint; empty of several nodes

  friend bool operator==(const Root&, const Root&) = default;
};

/// Another finding of the same placements.
struct Beside {
  std::string_view finding;
  Message message;  // on the first of them

  friend bool operator==(const Beside&, const Beside&) = default;
};

/// What one person fixes or waits for: all findings with the same root, across nodes and
/// DaemonSets.
struct Problem {
  std::string id;            // "create-quota-exceeded=logging/compute": see problem_id.h
  std::string_view finding;  // of the catalogue; a verdict where no finding explains it
  Severity severity = Severity::Info;
  Action action = Action::Needed;
  Message title;    // what it is, on all placements alike: some of its values may be Varying
  Message message;  // on the first placement; without one, of the first DaemonSet
  Root root;
  model::OptionalTime since = {};
  model::OptionalTime resolves_at = {};  // where the end of it is set; has passed if overdue
  Placements placements;                 // the wrong ones that it is the cause of
  Placements left_out = {};              // of nodes that are not eligible because of it: not wrong
  std::vector<std::size_t> daemon_sets;  // into the reports; ascending
  model::SharedList<model::Text> nodes;  // by name
  std::vector<Beside> also;              // other findings of these placements, by id
  std::vector<Step> fix;
  std::vector<Evidence> evidence;

  friend bool operator==(const Problem&, const Problem&) = default;
};

[[nodiscard]] inline bool needs_action(const Problem& problem) {
  return problem.action != Action::None;
}

/// The most important first.
void sort_by_urgency(std::vector<Problem>& problems);

/// A problem that somebody knows of and accepts, by the parts of its id. Each is a glob; an empty
/// one stands for any.
struct Accepted {
  std::string finding;
  std::string root;
  std::string part = {};
};

/// Which problems count.
struct Attention {
  Severity threshold = Severity::Warning;  // the least that does; info: what resolves, too
  std::vector<Accepted> ignored;
};

/// Somebody should look at it: an answer with such a problem is not green.
[[nodiscard]] inline bool counts(const Problem& problem, const Attention& attention) {
  if (attention.threshold == Severity::Info) return true;
  return needs_action(problem) && problem.severity <= attention.threshold;
}

/// What is worth knowing, and is no problem.
struct Remark {
  std::string_view finding;
  std::string_view title;  // of the catalogue
  std::vector<std::size_t> daemon_sets;
};

/// All that is wrong, and all that there is to know beside it.
struct Problems {
  std::vector<Problem> problems;           // the most important first
  std::vector<Remark> remarks;             // what most DaemonSets have first
  std::size_t placements = 0;              // all that were reported on
  std::size_t affected = 0;                // the wrong ones: the sum of all problems' placements
  std::size_t ignored = 0;                 // problems that were accepted and are not listed
  std::vector<std::size_t> accepted = {};  // DaemonSets that have such problems and no other
};

}  // namespace dsdoctor::diagnosis
