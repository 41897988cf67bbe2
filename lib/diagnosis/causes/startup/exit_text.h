// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"
#include "model/pod.h"

/// Texts and evidence about a container's exit.
namespace dsdoctor::diagnosis {

/// "137 (killed by SIGKILL)".
[[nodiscard]] Message exit_code(const model::TerminatedState& state);

/// The most informative line of a termination message: the first line with an error, else the last
/// line. Ends before a usage text that follows other lines.
[[nodiscard]] std::string telling_line(std::string_view text);

/// "exit code 137 (killed by SIGKILL)", with the termination message if there is one.
[[nodiscard]] Message exit_told(const model::TerminatedState& state);

/// Evidence from a field of the container's current or last state: "lastState.terminated.reason".
/// REQUIRES: `end` belongs to `status`.
[[nodiscard]] Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                    const model::TerminatedState& end, std::string_view field,
                                    std::string_view value);
/// Evidence from its exit code.
[[nodiscard]] Evidence end_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                    const model::TerminatedState& end);

}  // namespace dsdoctor::diagnosis
