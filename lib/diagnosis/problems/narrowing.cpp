// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/narrowing.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/problems/placement_nodes.h"
#include "diagnosis/problems/root.h"
#include "diagnosis/report/reach.h"

namespace dsdoctor::diagnosis {
namespace {

/// DaemonSets that have the problem only by a finding of their own, without placements.
std::vector<std::size_t> without_placements(const Problem& problem) {
  std::set<std::size_t> placed;
  for (const Placements* each : {&problem.placements, &problem.left_out}) {
    for (const auto& part : each->parts()) placed.insert(part.daemon_set);
  }
  std::vector<std::size_t> result;
  std::ranges::set_difference(problem.daemon_sets, placed, std::back_inserter(result));
  return result;
}

/// The finding of the problem's first placement, left-out node or DaemonSet; null if that has
/// another finding.
const Finding* first_finding(const Problem& problem,
                             const std::vector<const DaemonSetReport*>& reports) {
  if (!problem.placements.empty()) {
    const Placement first = problem.placements.front();
    const Finding* cause = cause_of(reports[first.daemon_set]->nodes[first.node]);
    return cause != nullptr && cause->name() == problem.finding ? cause : nullptr;
  }
  if (!problem.left_out.empty()) {
    const Placement first = problem.left_out.front();
    const Finding* obstacle = temporary_obstacle(reports[first.daemon_set]->nodes[first.node]);
    return obstacle != nullptr && obstacle->name() == problem.finding ? obstacle : nullptr;
  }
  const DaemonSetReport& report = *reports[problem.daemon_sets.front()];
  const auto at = std::ranges::find_if(report.findings, [&](const Finding& finding) {
    return finding.name() == problem.finding && root_of(finding, report, nullptr) == problem.root;
  });
  return at == report.findings.end() ? nullptr : &*at;
}

Placements those(const Placements& all, const std::function<bool(Placement)>& are_asked_about) {
  Placements result;
  std::ranges::copy_if(all, std::back_inserter(result), are_asked_about);
  return result;
}

/// Removes the other placements and DaemonSets from a problem and takes message and fix from the
/// first that is left. Returns false if nothing is left.
bool narrow(Problem& problem, PlacementNodes& nodes,
            const std::vector<const DaemonSetReport*>& reports, const Narrowing& to) {
  std::set<std::size_t> daemon_sets;
  if (to.daemon_set) {
    for (const std::size_t i : without_placements(problem)) {
      if (to.daemon_set(problem, i)) daemon_sets.insert(i);
    }
  }
  const std::size_t before = problem.placements.size() + problem.left_out.size();
  problem.placements = those(problem.placements, to.placement);
  problem.left_out = those(problem.left_out, to.placement);
  const bool is_less = problem.placements.size() + problem.left_out.size() < before;
  if (is_less) problem.nodes = nodes.of(problem.placements, problem.left_out);
  for (const Placements* each : {&problem.placements, &problem.left_out}) {
    for (const auto& part : each->parts()) daemon_sets.insert(part.daemon_set);
  }
  problem.daemon_sets.assign(daemon_sets.begin(), daemon_sets.end());
  if (problem.daemon_sets.empty()) return false;
  if (const Finding* finding = first_finding(problem, reports)) {
    if (problem.title == problem.message) problem.title = finding->message;
    problem.message = finding->message;
    problem.fix = finding->fix;
    problem.evidence = finding->evidence;
  }
  return true;
}

}  // namespace

Problems narrowed(const Problems& problems, const std::vector<const DaemonSetReport*>& reports,
                  const Narrowing& to) {
  Problems result = problems;
  result.affected = 0;
  PlacementNodes nodes(reports);
  std::erase_if(result.problems,
                [&](Problem& problem) { return !narrow(problem, nodes, reports, to); });
  for (const Problem& problem : result.problems) result.affected += problem.placements.size();
  sort_by_urgency(result.problems);
  return result;
}

Problems only(const Problems& problems, const std::vector<const DaemonSetReport*>& reports,
              std::size_t daemon_set) {
  Problems result =
      narrowed(problems, reports,
               {[&](Placement at) { return at.daemon_set == daemon_set; },
                [&](const Problem&, std::size_t other) { return other == daemon_set; }});
  result.placements = expected_placements(*reports[daemon_set]);
  for (Problem& problem : result.problems) {
    problem.daemon_sets = {0};
    problem.placements.renumber(0);
    problem.left_out.renumber(0);
  }
  std::erase_if(result.remarks, [&](const Remark& remark) {
    return !std::ranges::binary_search(remark.daemon_sets, daemon_set);
  });
  for (Remark& remark : result.remarks) remark.daemon_sets = {0};
  if (std::ranges::binary_search(result.accepted, daemon_set)) {
    result.accepted = {0};
  } else {
    result.accepted.clear();
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
