// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "line/options.h"
#include "model/cluster.h"

/// Values of flags that are more than a text.
namespace dsdoctor::cmd {

/// A label selector as it is typed: `a=b,c in (x,y)`. Errors: Usage, as
/// decode::parse_label_selector, and for a key or a value that no label can have: a selector with
/// such a typo selects nothing. Source of truth: apimachinery v0.36.2 pkg/labels/selector.go:
/// NewRequirement.
[[nodiscard]] base::Result<Requirements> parse_selector(std::string_view text);

/// Reads `Gate=true,Other=false`, as Kubernetes' components do; AllAlpha and AllBeta included.
/// Gates that no answer depends on are an error, so that a typo does not pass for an answer.
[[nodiscard]] base::Result<placement::FeatureGates> parse_feature_gates(const std::string& text);

/// What is in force: a server that is too old to know a gate behaves as if it were off.
[[nodiscard]] placement::FeatureGates gates_for(placement::FeatureGates wanted,
                                                const std::optional<model::ServerVersion>& version);

/// --color. Errors: Usage.
[[nodiscard]] base::Result<ColorMode> parse_color(std::string_view text);

/// Reads the texts of `options`, the first one first. Errors: Usage, with the flag.
[[nodiscard]] base::Status read_texts(AnswerOptions& options);

}  // namespace dsdoctor::cmd
