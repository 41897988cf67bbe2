#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/config/kubeconfig_entries.h"

namespace dsdoctor::kube {

/// Parses one kubeconfig (YAML or JSON; the first document; empty is valid). Relative paths are
/// resolved against the folder of `path`, as is an exec command with a slash.
/// Errors: Malformed, with all problems; none of them repeats a value of the file.
[[nodiscard]] base::Result<Kubeconfig> parse_kubeconfig(std::string_view text,
                                                        const std::string& path);

}  // namespace dsdoctor::kube
