#pragma once

#include <string>
#include <vector>

#include "advice/what_if.h"
#include "line/options.h"
#include "question/context.h"

namespace dsdoctor::cmd {

/// Reads the flags; the files that they name are left to read_manifests.
/// Errors: Usage, with the flag, its argument, the part that is wrong and the form that is wanted.
[[nodiscard]] base::Result<advice::WhatIf> parse_what_if(const WhatIfOptions& options);

/// Adds what is in the files; manifests that name no namespace go to `ns`, or to "default"
/// where that is empty. Errors: whatever reading the files says; Malformed for files that hold
/// nothing of the kind.
[[nodiscard]] base::Status read_manifests(const WhatIfOptions& options, const std::string& ns,
                                          Context& ctx, advice::WhatIf& into);

/// The flags as they were given: "--taint gpu-1=a:NoSchedule".
[[nodiscard]] std::vector<std::string> flag_words(const WhatIfOptions& options);

/// The one namespace of all; empty where there are several.
[[nodiscard]] std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets);

}  // namespace dsdoctor::cmd
