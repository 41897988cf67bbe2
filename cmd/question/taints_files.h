#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "kube/os/environment.h"

namespace dsdoctor::cmd {

/// Where users keep what they know of their own taints: dsdoctor/taints.yaml below XDG_CONFIG_HOME,
/// or below ~/.config. Empty without a home.
[[nodiscard]] std::string user_taints_file(const kube::Environment& environment);

/// The built-in entries with those of the user's own file, if it is there, and of `paths`; a later
/// one wins. Null where there are none but the built-in ones.
/// Errors: a file of `paths` that is not there or cannot be read; Malformed, with the place.
[[nodiscard]] base::Result<std::unique_ptr<const diagnosis::TaintCatalogue>> taint_catalogue(
    const std::vector<std::string>& paths, const kube::Environment& environment);

}  // namespace dsdoctor::cmd
