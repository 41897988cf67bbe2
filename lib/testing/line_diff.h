#pragma once

#include <string>

namespace dsdoctor::testing {

/// What sets two texts apart, line by line: "-" what was expected, "+" what came, with three equal
/// lines around. A head names the line of `expected` and the last line above it that begins with
/// `section` (with no section: that begins with anything). Empty when the texts are equal.
[[nodiscard]] std::string line_diff(const std::string& expected, const std::string& got,
                                    const std::string& section = {});

}  // namespace dsdoctor::testing
