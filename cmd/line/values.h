// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "line/options.h"

/// Values of flags with a syntax of their own.
namespace dsdoctor::cmd {

/// Parses a label selector: `a=b,c in (x,y)`. Errors: Usage, those of decode::parse_label_selector,
/// and for a key or a value that no label can have, since such a typo selects nothing. Source of
/// truth: apimachinery v0.36.2 pkg/labels/selector.go: NewRequirement.
[[nodiscard]] base::Result<Requirements> parse_selector(std::string_view text);

/// Reads `Gate=true,Other=false`, as Kubernetes' components do; AllAlpha and AllBeta included.
/// Gates that do not affect answers are an error, so that typos are found.
[[nodiscard]] base::Result<GivenGates> parse_feature_gates(const std::string& text);

/// Parses --color. Errors: Usage.
[[nodiscard]] base::Result<ColorMode> parse_color(std::string_view text);

/// Parses --validate, with the words and booleans of kubectl. Errors: Usage.
[[nodiscard]] base::Result<FieldValidation> parse_validation(std::string_view text);

/// Parses --timeout: a duration, or 0 for no limit. Errors: Usage.
[[nodiscard]] base::Result<std::chrono::milliseconds> parse_timeout(std::string_view text);

/// Parses --listen. Errors: Usage.
[[nodiscard]] base::Result<ListenAddress> parse_listen_address(std::string_view text);

/// The flags that select the cluster, as far as they were given, with their values.
[[nodiscard]] GivenFlags given_cluster_flags(const SourceOptions& options);

/// Parses the texts of `options` in order. Errors: Usage, with the flag.
[[nodiscard]] base::Status read_texts(AnswerOptions& options);

}  // namespace dsdoctor::cmd
