#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::cmd {

/// "dsdoctor-prod-20261121T023611Z.json.zst": of the context, else of what kind of source it is.
[[nodiscard]] std::string snapshot_name(const model::SourceInfo& info);

/// Errors: Unreadable, where `path` names something that may not be written over: a file that
/// exists, unless `force`; what is no regular file, always.
[[nodiscard]] base::Status check_writable(const std::string& path, bool force);

/// Writes a file beside `path` and renames it, so that `path` is never half written; what cannot be
/// finished is removed. Errors: Unreadable, with the system's reason.
[[nodiscard]] base::Status write_whole(const std::string& path, std::string_view content);

}  // namespace dsdoctor::cmd
