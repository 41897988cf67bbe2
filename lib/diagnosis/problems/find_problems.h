#pragma once

#include <functional>
#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// Joins what `reports` say, which are of `cluster`, by what is to be fixed. Every placement that
/// is wrong belongs to exactly one problem. `ignored` problems are counted and left out.
[[nodiscard]] Problems find_problems(const std::vector<const DaemonSetReport*>& reports,
                                     const model::Cluster& cluster,
                                     const std::vector<Accepted>& ignored = {});

/// The most important first.
void sort_by_urgency(std::vector<Problem>& problems);

/// What is asked about.
struct Narrowing {
  std::function<bool(Placement)> placement;
  /// A problem, of one of its DaemonSets that has no placement there; without it none of them is.
  std::function<bool(const Problem&, std::size_t)> daemon_set = {};
};
/// Problems without a placement or DaemonSet that is asked about are left out, and of the others
/// those that are not. `problems` are of `reports`.
[[nodiscard]] Problems narrowed(const Problems& problems,
                                const std::vector<const DaemonSetReport*>& reports,
                                const Narrowing& to);

/// Those of one DaemonSet, which then is the first of the reports; nodes of others are left out.
[[nodiscard]] Problems only(const Problems& problems,
                            const std::vector<const DaemonSetReport*>& reports,
                            std::size_t daemon_set);

}  // namespace dsdoctor::diagnosis
