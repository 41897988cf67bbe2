// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"

namespace dsdoctor::source {

/// The error for a path that cannot be opened: NotFound or Unreadable.
[[nodiscard]] base::Error cannot_open(const std::string& path, const std::error_code& why);

/// The paths of all files below a folder, relative to it, sorted, without hidden ones. A link that
/// leads nowhere is not a file. Errors: NotFound and Unreadable.
[[nodiscard]] base::Result<std::vector<std::string>> files_in(const std::string& folder);

}  // namespace dsdoctor::source
