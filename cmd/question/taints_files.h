// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "kube/os/environment.h"

namespace dsdoctor::cmd {

/// Returns the built-in entries with those of the user's own taints.yaml, if it exists, and of
/// `paths`; a later entry overrides an earlier one. Null if there are only the built-in ones. An
/// unusable own file is ignored with a warning. Errors: a file of `paths` that does not exist or
/// cannot be read; Malformed, with the place.
[[nodiscard]] base::Result<std::unique_ptr<const diagnosis::TaintCatalogue>> taint_catalogue(
    const std::vector<std::string>& paths, const kube::Environment& environment,
    std::vector<std::string>& warnings);

}  // namespace dsdoctor::cmd
