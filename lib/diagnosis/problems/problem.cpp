// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/problem.h"

#include <algorithm>
#include <tuple>

namespace dsdoctor::diagnosis {
namespace {

/// Problems that need action first, then by severity, then by number of placements.
auto rank_of(const Problem& problem) {
  return std::tuple(problem.action == Action::None, problem.severity, ~problem.placements.size(),
                    problem.action, std::string_view(problem.id));
}

}  // namespace

void sort_by_urgency(std::vector<Problem>& problems) {
  std::ranges::stable_sort(problems, {}, rank_of);
}

}  // namespace dsdoctor::diagnosis
