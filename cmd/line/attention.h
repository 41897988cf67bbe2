// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/problems/problem.h"
#include "line/options.h"

namespace dsdoctor::cmd {

/// Parses --until: healthy, resolved, resolved=ID or rolled-out. Errors: Usage, also for an id that
/// no finding has.
[[nodiscard]] base::Result<Until> parse_until(const std::string& text);

/// Parses "ID[=ROOT][#PART]", the form of problem ids, or globs of these parts. Errors: Usage,
/// without the text: an unknown finding or an invalid glob.
[[nodiscard]] base::Result<diagnosis::Accepted> parse_ignored(const std::string& text);

/// Parses --severity and --ignore. Errors: Usage, for an unknown severity or finding.
[[nodiscard]] base::Result<diagnosis::Attention> parse_attention(
    const std::string& severity, const std::vector<std::string>& ignored);

/// Parses --limit; absent if it was not given. Errors: Usage.
[[nodiscard]] base::Result<std::optional<std::size_t>> parse_limit(const std::string& text);

}  // namespace dsdoctor::cmd
