#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/scheduling.h"

namespace dsdoctor::decode {

/// A label selector as kubectl's -l takes it: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`,
/// `a`, `!a`, `a>1`, `a<1`, joined by commas; all must hold. Empty text: no requirement.
/// Errors: Usage, with the place in the text and what is accepted there.
/// Source of truth: apimachinery v0.36.2 pkg/labels/selector.go: Parse.
[[nodiscard]] base::Result<std::vector<model::NodeSelectorRequirement>> parse_label_selector(
    std::string_view text);

}  // namespace dsdoctor::decode
