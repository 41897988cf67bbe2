#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "diagnosis/problems/problem.h"

/// Of problems those that are asked about.
namespace dsdoctor::diagnosis {

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
