#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "kube/os/environment.h"

namespace dsdoctor::cmd {

/// The built-in entries with those of the user's own taints.yaml, if it is there, and of `paths`; a
/// later one wins. Null where there are none but the built-in ones. The user's own file is ignored,
/// with a warning, where it cannot be used. Errors: a file of `paths` that is not there or cannot
/// be read; Malformed, with the place.
[[nodiscard]] base::Result<std::unique_ptr<const diagnosis::TaintCatalogue>> taint_catalogue(
    const std::vector<std::string>& paths, const kube::Environment& environment,
    std::vector<std::string>& warnings);

}  // namespace dsdoctor::cmd
