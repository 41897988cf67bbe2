// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::cmd {

/// The name under which the user runs the program, from argv[0]: `kubectl dsdoctor` for
/// `kubectl-dsdoctor`, `kubectl a-b` for `kubectl-a_b`; other names are unchanged.
[[nodiscard]] std::string program_name(std::string_view argv0);

/// Whether kubectl runs the program to complete a line: as `kubectl_complete-dsdoctor`, for example
/// through a link.
[[nodiscard]] bool is_completion_helper(std::string_view argv0);

}  // namespace dsdoctor::cmd
