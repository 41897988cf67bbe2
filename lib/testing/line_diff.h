// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dsdoctor::testing {

/// The difference of two texts, line by line: "-" for expected lines, "+" for actual ones, with
/// three equal lines around. A heading names the line of `expected` and the last line above it that
/// begins with `section` (any line, if it is empty). Empty if the texts are equal.
[[nodiscard]] std::string line_diff(const std::string& expected, const std::string& got,
                                    const std::string& section = {});

}  // namespace dsdoctor::testing
