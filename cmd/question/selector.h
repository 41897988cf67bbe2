#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/scheduling.h"

namespace dsdoctor::cmd {

using Requirements = std::vector<model::NodeSelectorRequirement>;

/// A label selector as it is typed: `a=b,c in (x,y)`. Errors: Usage, as
/// decode::parse_label_selector, and for a key or a value that no label can have: a selector with
/// such a typo selects nothing. Source of truth: apimachinery v0.36.2 pkg/labels/selector.go:
/// NewRequirement.
[[nodiscard]] base::Result<Requirements> parse_typed_selector(std::string_view text);

}  // namespace dsdoctor::cmd
