// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::cmd {

/// "dsdoctor-prod-20261121T023611Z.json.zst": with the context's name, else the kind of source.
[[nodiscard]] std::string snapshot_name(const model::SourceInfo& info);

/// Errors: Unreadable if `path` must not be overwritten: an existing file unless `force`; anything
/// other than a regular file in any case.
[[nodiscard]] base::Status check_writable(const std::string& path, bool force);

/// Writes a file beside `path` and renames it, so that `path` is never half written; removes the
/// file after a failure. Errors: Unreadable, with the system's reason.
[[nodiscard]] base::Status write_whole(const std::string& path, std::string_view content);

}  // namespace dsdoctor::cmd
