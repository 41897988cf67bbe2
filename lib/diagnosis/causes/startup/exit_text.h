#pragma once

#include <string>
#include <string_view>

#include "model/pod.h"

/// How a container ended, in words.
namespace dsdoctor::diagnosis {

/// "137 (killed by SIGKILL)".
[[nodiscard]] std::string code_text(const model::TerminatedState& state);

/// Of a termination message the line that tells the most: of a log's end the first one that speaks
/// of an error, else the last; of what a program says of its usage nothing.
[[nodiscard]] std::string telling_line(std::string_view text);

/// "exit code 137 (killed by SIGKILL)", with the termination message where there is one.
[[nodiscard]] std::string exit_text(const model::TerminatedState& state);

}  // namespace dsdoctor::diagnosis
