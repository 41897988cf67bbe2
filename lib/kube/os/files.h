#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dsdoctor::kube {

/// The bytes of a file, a FIFO or a `/dev/fd/N`: opened once, read to its end.
/// Errors, in Go's words (`open F: no such file or directory`): NotFound; Unreadable, also for a
/// folder and for more than `limit` bytes.
[[nodiscard]] base::Result<std::string> read_file(const std::string& path, std::size_t limit);

/// A name relative to `folder`; an absolute one as it is. Lexical only.
[[nodiscard]] std::string resolve_path(const std::string& path, const std::string& folder);

/// The folder part of a path as given; `.` where there is none.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace dsdoctor::kube
