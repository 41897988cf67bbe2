#pragma once

#include <string>
#include <vector>

#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"

namespace dsdoctor::cmd {

/// The changes, those in files as well; manifests that name no namespace go to `ns`, or to
/// "default" where that is empty. Errors: whatever reading the files says; Malformed for files that
/// hold nothing of the kind.
[[nodiscard]] base::Result<fixes::WhatIf> read_changes(const WhatIfOptions& options,
                                                       const std::string& ns, Context& ctx);

/// The one namespace of all; empty where there are several.
[[nodiscard]] std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets);

}  // namespace dsdoctor::cmd
