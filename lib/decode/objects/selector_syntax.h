// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/scheduling.h"

namespace dsdoctor::decode {

/// Parses a label selector in the syntax of kubectl -l: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a
/// notin (x)`, `a`, `!a`, `a>1`, `a<1`, joined by commas; all must match. Empty text: no
/// requirements. Errors: Usage, with the column and the expected tokens.
/// Source of truth: apimachinery v0.36.2 pkg/labels/selector.go: Parse.
[[nodiscard]] base::Result<std::vector<model::NodeSelectorRequirement>> parse_label_selector(
    std::string_view text);

}  // namespace dsdoctor::decode
