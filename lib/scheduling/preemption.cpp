// SPDX-License-Identifier: Apache-2.0
#include "scheduling/preemption.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace dsdoctor::scheduling {
namespace {

Pods at_least(std::int64_t priority, const Pods& pods) {
  Pods result;
  std::ranges::copy_if(pods, std::back_inserter(result),
                       [&](const auto* pod) { return priority_of(*pod) >= priority; });
  return result;
}

/// Whether the scheduler evicts `a` later than `b`: it has a higher priority, or the same priority
/// and an earlier start.
bool is_more_important(const model::Pod* a, const model::Pod* b) {
  if (priority_of(*a) != priority_of(*b)) return priority_of(*a) > priority_of(*b);
  const auto started = [](const model::Pod* pod) {
    return pod->start_time.value_or(model::Time::max());
  };
  return started(a) < started(b);
}

Pods victims_among(Pods candidates, Pods left, const FitsBeside& fits) {
  std::ranges::stable_sort(candidates, is_more_important);
  Pods victims;
  for (const model::Pod* candidate : candidates) {
    left.push_back(candidate);
    if (fits(left)) continue;
    left.pop_back();
    victims.push_back(candidate);
  }
  return victims;
}

std::optional<std::int64_t> needed_priority(const Pods& here, const FitsBeside& fits) {
  std::set<std::int64_t> levels;
  for (const model::Pod* pod : here) levels.insert(priority_of(*pod));
  for (const std::int64_t level : levels) {
    if (fits(at_least(level + 1, here))) return level + 1;
  }
  return std::nullopt;
}

}  // namespace

PreemptionEstimate estimate_preemption(std::int64_t priority, const Pods& here,
                                       const FitsBeside& fits) {
  PreemptionEstimate result;
  Pods candidates;
  std::ranges::copy_if(here, std::back_inserter(candidates),
                       [&](const auto* pod) { return priority_of(*pod) < priority; });
  result.candidates = candidates.size();
  Pods left = at_least(priority, here);
  result.helps = !candidates.empty() && fits(left);
  if (result.helps) {
    result.victims = victims_among(std::move(candidates), std::move(left), fits);
  } else {
    result.needed = needed_priority(here, fits);
  }
  return result;
}

}  // namespace dsdoctor::scheduling
