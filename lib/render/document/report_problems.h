// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fixes/explanation.h"
#include "render/document/document.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// A heading and a table of the problems, the most important first; nothing without problems.
void add_problems(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                  const Presentation& style);

}  // namespace dsdoctor::render
