#pragma once

#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"
#include "model/pod.h"

/// How a container ended.
namespace dsdoctor::diagnosis {

/// "137 (killed by SIGKILL)".
[[nodiscard]] Message exit_code(const model::TerminatedState& state);

/// Of a termination message the line that tells the most: of a log's end the first one that speaks
/// of an error, else the last; of what a program says of its usage nothing.
[[nodiscard]] std::string telling_line(std::string_view text);

/// "exit code 137 (killed by SIGKILL)", with the termination message where there is one.
[[nodiscard]] Message exit_told(const model::TerminatedState& state);

/// A field of its current or its last state: "lastState.terminated.reason". REQUIRES: `end` is of
/// the status.
[[nodiscard]] Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                    const model::TerminatedState& end, std::string_view field,
                                    std::string_view value);
/// Its exit code.
[[nodiscard]] Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                    const model::TerminatedState& end);

}  // namespace dsdoctor::diagnosis
