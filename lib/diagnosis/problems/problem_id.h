// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// "container-crash=x/agent#main-1-error": the finding, its root, and `part`, the group of its
/// findings, which distinguishes problems with the same finding and root, in lower-case letters,
/// digits, dots and hyphens. Contains no count and no time, so that it is the same in each run.
[[nodiscard]] std::string problem_id(const Problem& problem, std::string_view part);

/// Makes equal ids different: by a hash of the part, then by the action, except for the most urgent
/// problem. `parts`: the part of each problem.
void make_ids_unique(std::vector<Problem>& problems, const std::vector<std::string>& parts);

/// Whether the globs of `accepted` match finding, root and part of the problem's id
/// ("ID[=ROOT][#PART]"). A problem of several nodes matches only if all their names do.
[[nodiscard]] bool accepts(const Accepted& accepted, const Problem& problem);

}  // namespace dsdoctor::diagnosis
