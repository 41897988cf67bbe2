// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::cmd {

/// How a user calls the program, from argv[0]: `kubectl-dsdoctor` is run as `kubectl dsdoctor`,
/// `kubectl-a_b` as `kubectl a-b`; any other name as it is.
[[nodiscard]] std::string program_name(std::string_view argv0);

/// True when kubectl runs the program to complete a line: as `kubectl_complete-dsdoctor`, say
/// through a link.
[[nodiscard]] bool is_completion_helper(std::string_view argv0);

}  // namespace dsdoctor::cmd
