// SPDX-License-Identifier: Apache-2.0
#include "fixes/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/problems/root.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::Problem;

ClusterProblem without_objects(const Problem& problem, const Explanation& explanation) {
  ClusterProblem result;
  Problem& kept = result.problem;
  kept.id = problem.id;
  kept.finding = problem.finding;
  kept.severity = problem.severity;
  kept.action = problem.action;
  kept.title = problem.title;
  kept.message = problem.message;
  kept.root = problem.root;
  kept.since = problem.since;
  kept.resolves_at = problem.resolves_at;
  kept.fix = problem.fix;
  result.placements = problem.placements.size();
  const auto& nodes = problem.nodes.items();
  constexpr std::size_t named = 5;
  result.nodes = nodes.size();
  // Copies, because they share the memory of the cluster.
  for (std::size_t i = 0; i < std::min(named, nodes.size()); ++i) {
    result.first_nodes.emplace_back(nodes[i].str());
  }
  result.now = explanation.now;
  result.daemon_sets.reserve(problem.daemon_sets.size());
  for (const std::size_t i : problem.daemon_sets) {
    const diagnosis::DaemonSetReport& report = explanation.daemon_sets[i].report;
    result.daemon_sets.push_back(report.ns.str() + "/" + report.name.str());
  }
  return result;
}

/// The same for problems of other clusters that are joined with it.
std::string key_of(const Problem& problem) {
  const std::size_t part = problem.id.find('#');
  const bool is_node = problem.root.kind == "Node";
  return fmt::format("{}={}={}={}", diagnosis::needs_action(problem), problem.finding,
                     is_node ? problem.root.kind : diagnosis::root_text(problem.root),
                     part == std::string::npos ? "" : problem.id.substr(part));
}

diagnosis::Message common_title(const diagnosis::Message& a, const diagnosis::Message& b,
                                std::string_view finding) {
  if (a.id == b.id) return diagnosis::common(a, b);
  return diagnosis::title_message(*diagnosis::find_listed(finding));
}

/// Adds the problem of one more cluster.
void add(FleetProblem& to, const Problem& problem) {
  Problem& joint = to.problem;
  joint.severity = std::min(joint.severity, problem.severity);
  joint.action = std::min(joint.action, problem.action);
  joint.title = common_title(joint.title, problem.title, joint.finding);
  if (joint.root != problem.root) joint.root = {.kind = joint.root.kind, .ns = {}, .name = {}};
  if (joint.id != problem.id) joint.id = joint.finding;  // as a glob, it matches all of them
}

}  // namespace

std::string identity_of(const model::Cluster& cluster) {
  const auto oldest = std::ranges::min_element(
      cluster.nodes, {}, [](const model::Node& node) { return node.meta.created; });
  if (oldest == cluster.nodes.end()) return {};
  constexpr std::size_t uuid_size = 36;
  std::string uid = oldest->meta.uid.str();
  return uid.size() == uuid_size ? uid : std::string();
}

ClusterAnswer cluster_answer(std::string name, const Explanation& explanation,
                             const model::SourceInfo& source,
                             const std::vector<model::Omission>& omissions, bool answered) {
  using enum ClusterAnswer::State;
  ClusterAnswer result;
  result.name = std::move(name);
  result.state = is_wrong(explanation) ? Problems : answered ? Healthy : Unclear;
  result.server_version = source.server_version;
  result.nodes_known = explanation.nodes_known;
  result.nodes = explanation.nodes;
  result.daemon_sets = explanation.daemon_sets.size();
  result.pods = explanation.pods;
  result.placements = explanation.problems.placements;
  result.affected = explanation.problems.affected;
  result.ignored = explanation.problems.ignored;
  result.problems.reserve(explanation.problems.problems.size());
  for (const Problem& problem : explanation.problems.problems) {
    result.problems.push_back(without_objects(problem, explanation));
  }
  result.omissions = omissions;
  return result;
}

std::vector<FleetProblem> joined(const std::vector<ClusterAnswer>& answers) {
  std::vector<FleetProblem> result;
  std::unordered_map<std::string, std::size_t> by_key;
  for (std::size_t c = 0; c < answers.size(); ++c) {
    const std::vector<ClusterProblem>& problems = answers[c].problems;
    for (std::size_t p = 0; p < problems.size(); ++p) {
      const Problem& problem = problems[p].problem;
      const auto [at, is_new] = by_key.try_emplace(key_of(problem), result.size());
      if (is_new) {
        result.push_back({problem, 0, 0, {}});
      } else {
        add(result[at->second], problem);
      }
      FleetProblem& joint = result[at->second];
      joint.placements += problems[p].placements;
      if (joint.parts.empty() || joint.parts.back().cluster != c) ++joint.clusters;
      joint.parts.push_back({c, p});
    }
  }
  const auto placements = [&](const FleetProblem::Part& part) {
    return answers[part.cluster].problems[part.problem].placements;
  };
  for (FleetProblem& problem : result) {
    std::ranges::stable_sort(problem.parts, std::greater<>(), placements);
    const FleetProblem::Part first = problem.parts.front();
    const Problem& example = answers[first.cluster].problems[first.problem].problem;
    problem.problem.message = example.message;
    problem.problem.fix = example.fix;
  }
  std::ranges::stable_sort(result, {}, [](const FleetProblem& problem) {
    return std::tuple(!diagnosis::needs_action(problem.problem), problem.problem.severity,
                      ~problem.clusters, ~problem.placements);
  });
  return result;
}

}  // namespace dsdoctor::fixes
