// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace dsdoctor::source {

/// The inputs among the files of a folder, as inputs_of finds them, but relative to the folder.
/// `files`: see files_in. Empty if the folder is one dump.
[[nodiscard]] std::vector<std::string> inputs_among(const std::string& folder,
                                                    const std::vector<std::string>& files);

/// Splits a folder into its inputs, which are read separately: the files and folders directly below
/// it that may have objects, sorted; if there is only one and it is a folder, its inputs. A folder
/// that is one dump is not split: it has a file named after a resource (`nodes.json`), or a
/// collector's layout begins in it. Returns only `path` for any other path.
/// Errors: NotFound and Unreadable.
[[nodiscard]] base::Result<std::vector<std::string>> inputs_of(const std::string& path);

}  // namespace dsdoctor::source
