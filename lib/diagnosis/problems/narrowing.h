// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "diagnosis/problems/problem.h"

/// Selects problems.
namespace dsdoctor::diagnosis {

/// The placements and DaemonSets to keep.
struct Narrowing {
  std::function<bool(Placement)> placement;
  /// Selects DaemonSets of a problem that have no placement in it; null: none.
  std::function<bool(const Problem&, std::size_t)> daemon_set = {};
};
/// Drops other placements and DaemonSets, and problems without any left. `problems` belong to
/// `reports`.
[[nodiscard]] Problems narrowed(const Problems& problems,
                                const std::vector<const DaemonSetReport*>& reports,
                                const Narrowing& to);

/// The problems of one DaemonSet, whose index becomes 0, without nodes of other DaemonSets.
[[nodiscard]] Problems only(const Problems& problems,
                            const std::vector<const DaemonSetReport*>& reports,
                            std::size_t daemon_set);

}  // namespace dsdoctor::diagnosis
