#pragma once

#include <string>
#include <vector>

#include "advice/what_if.h"
#include "context.h"
#include "options.h"

namespace dsdoctor::cmd {

/// Reads the flags and the files that they name.
/// Errors: Usage, with the flag, its argument, the part that is wrong and the form that is wanted;
/// whatever reading the files says; Malformed for files that hold nothing of the kind.
[[nodiscard]] base::Result<advice::WhatIf> parse_what_if(const WhatIfOptions& options,
                                                         Context& ctx);

/// The flags as they were given: "--taint gpu-1=a:NoSchedule".
[[nodiscard]] std::vector<std::string> flag_words(const WhatIfOptions& options);

/// Manifests that name no namespace go to `ns`, or to "default" where that is empty.
void place_manifests(advice::WhatIf& what_if, const std::string& ns);

/// The one namespace of all; empty where there are several.
[[nodiscard]] std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets);

}  // namespace dsdoctor::cmd
