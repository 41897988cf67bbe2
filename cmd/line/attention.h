// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/problems/problem.h"

namespace dsdoctor::cmd {

/// "ID[=ROOT][#PART]", as problems have their ids, or globs of these parts. Errors: Usage, without
/// the text: no such finding, no glob of ours.
[[nodiscard]] base::Result<diagnosis::Accepted> parse_ignored(const std::string& text);

/// --severity and --ignore. Errors: Usage, for a severity or a finding that is not known.
[[nodiscard]] base::Result<diagnosis::Attention> parse_attention(
    const std::string& severity, const std::vector<std::string>& ignored);

/// --limit; absent where it was not given. Errors: Usage.
[[nodiscard]] base::Result<std::optional<std::size_t>> parse_limit(const std::string& text);

}  // namespace dsdoctor::cmd
