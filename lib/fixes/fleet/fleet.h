// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnosis/problems/problem.h"
#include "fixes/explanation.h"
#include "model/cluster.h"

/// The answers about several clusters, joined by problem. They refer to no cluster, so that one at
/// a time is in memory.
namespace dsdoctor::fixes {

/// A problem of one cluster.
struct ClusterProblem {
  diagnosis::Problem problem;  // without placements, nodes, DaemonSets and evidence
  std::size_t placements = 0;  // their numbers
  std::size_t nodes = 0;
  std::vector<model::Text> first_nodes;  // names of some of them
  std::vector<std::string> daemon_sets;  // "logging/fluent-bit"
  model::OptionalTime now = {};          // the time of the answer
};

/// The answer about one cluster.
struct ClusterAnswer {
  enum class State {
    Healthy,   // everything was read, and no problem counts
    Problems,  // at least one problem counts
    Unclear,   // no problem counts, but not everything could be read
    Failed,    // no answer
  };

  std::string name;  // the context or the input
  State state = State::Failed;
  std::string server_version = {};  // empty if unknown
  /// A UID of one of its objects, by which the same cluster is recognized under another name; empty
  /// if there is none.
  std::string identity = {};
  bool nodes_known = false;
  std::size_t nodes = 0;
  std::size_t daemon_sets = 0;
  std::size_t pods = 0;
  std::size_t placements = 0;                 // without excluded ones
  std::size_t affected = 0;                   // wrong placements
  std::size_t ignored = 0;                    // accepted problems
  std::vector<ClusterProblem> problems = {};  // the most important first
  std::vector<model::Omission> omissions = {};
  std::vector<std::string> errors = {};  // why there is no answer, or only a part of it
};

/// The answer of `explanation` about the cluster that `name` refers to. `answered`: whether it can
/// be called healthy if no problem counts.
[[nodiscard]] ClusterAnswer cluster_answer(std::string name, const Explanation& explanation,
                                           const model::SourceInfo& source,
                                           const std::vector<model::Omission>& omissions,
                                           bool answered);

/// The UID of the oldest node, by which a cluster is recognized; empty without nodes, and if it is
/// not a UUID.
[[nodiscard]] std::string identity_of(const model::Cluster& cluster);

/// One problem of several clusters: the same finding with the same object to fix, in all of which
/// it needs action, or in none. Nodes are joined whatever their names, which differ between
/// clusters.
struct FleetProblem {
  /// One of the clusters.
  struct Part {
    std::size_t cluster = 0;  // into the answers
    std::size_t problem = 0;  // into its problems
  };

  /// The parts' common title and root, and the highest severity; example and fix are those of the
  /// first part.
  diagnosis::Problem problem;
  std::size_t placements = 0;  // the sum
  std::size_t clusters = 0;    // a cluster can have several parts, for nodes of different names
  std::vector<Part> parts;     // most placements first
};

/// The problems of all answers: those that need action first, then by severity, number of clusters
/// and placements.
[[nodiscard]] std::vector<FleetProblem> joined(const std::vector<ClusterAnswer>& answers);

}  // namespace dsdoctor::fixes
