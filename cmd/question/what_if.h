// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/what_if.h"
#include "line/options.h"
#include "question/context.h"

namespace dsdoctor::cmd {

/// Returns the changes, including those in files; manifests without a namespace get `ns`, or
/// "default" if that is empty. Errors: those of reading the files; Malformed for files without
/// objects of the kind.
[[nodiscard]] base::Result<fixes::WhatIf> read_changes(const WhatIfOptions& options,
                                                       const std::string& ns, Context& ctx);

/// The common namespace; empty if there are several.
[[nodiscard]] std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets);

}  // namespace dsdoctor::cmd
