// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace dsdoctor::source {

/// Splits a folder into its inputs, which are read separately: the files and folders directly below
/// it that may have objects, sorted; if there is only one and it is a folder, its inputs. A folder
/// that is one dump is not split: it has a file named after a resource (`nodes.json`), or a
/// collector's layout begins in it. Returns only `path` for any other path.
/// Errors: NotFound and Unreadable.
[[nodiscard]] base::Result<std::vector<std::string>> inputs_of(const std::string& path);

}  // namespace dsdoctor::source
