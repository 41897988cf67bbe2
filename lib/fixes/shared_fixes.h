// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

#include "fixes/fixes.h"

/// Fixes that several DaemonSets have in common.
namespace dsdoctor::fixes {

/// One fix of several DaemonSets: the same tolerations, or the same command for nodes.
struct SharedFix {
  std::vector<std::size_t> answers;        // indexes, ascending; at least two
  const Suggestion* suggestion = nullptr;  // of the first answer; exactly one of the two is set
  const Alternative* alternative = nullptr;
  Effect effect;                              // counts and pods of all; each node once
  std::optional<std::size_t> restarted_pods;  // of all; absent if no pods were read
};

struct SharedFixes {
  std::vector<SharedFix> fixes;             // recommended ones first, then those of most DaemonSets
  std::unordered_set<const void*> members;  // the suggestions and alternatives that they contain

  [[nodiscard]] bool contains(const Suggestion& each) const { return members.contains(&each); }
  [[nodiscard]] bool contains(const Alternative& each) const { return members.contains(&each); }
};

/// The fixes that two or more answers offer for the same purpose. Excluded are fixes whose rollout
/// deletes pods for good, waits, or happens by hand: their predictions are particular. The result
/// points into `answers`.
[[nodiscard]] SharedFixes shared_fixes(const std::vector<FixAnswer>& answers);

}  // namespace dsdoctor::fixes
