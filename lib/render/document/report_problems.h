// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fixes/explanation.h"
#include "render/document/document.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// A sentence, a heading and a table of all problems, the most important first; nothing without
/// problems.
void add_problems(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                  const Presentation& style);

/// Folded details of each problem: an example, names of nodes, the fix, evidence and id.
void add_problem_details(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                         const Presentation& style);

}  // namespace dsdoctor::render
