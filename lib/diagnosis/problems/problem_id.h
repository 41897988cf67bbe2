#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// "container-crash=x/agent#main-1-error": the finding, its root, and what tells it from other
/// problems of the two: `part`, the group of its findings, in lower-case letters, digits, dots and
/// hyphens. It holds no count and no time, so that it stays the same from run to run.
[[nodiscard]] std::string problem_id(const Problem& problem, std::string_view part);

/// Tells problems apart whose ids are equal: by their parts, of which `parts` has one a problem,
/// then by their action: the most urgent of them keeps its id.
void make_ids_unique(std::vector<Problem>& problems, const std::vector<std::string>& parts);

/// `pattern` is an id, or globs of a finding, a root and a part of it: "ID[=ROOT][#PART]".
[[nodiscard]] bool accepts(const Accepted& accepted, const Problem& problem);

}  // namespace dsdoctor::diagnosis
