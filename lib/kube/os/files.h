#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"

namespace dsdoctor::kube {

/// The bytes of a file, a FIFO or a `/dev/fd/N`: opened once, read to its end.
/// Errors, in Go's words (`open F: no such file or directory`): NotFound; Unreadable, also for a
/// folder and for more than `limit` bytes.
[[nodiscard]] base::Result<std::string> read_file(const std::string& path, std::size_t limit);

/// The error of opening it; nothing is read, and a FIFO is not waited for.
[[nodiscard]] base::Status check_readable(const std::string& path);

/// Anything of that name; what leads nowhere does not exist.
[[nodiscard]] bool exists(const std::string& path);
/// Anything but a folder.
[[nodiscard]] bool is_file(const std::string& path);

/// Whether the mode of a regular file lets its group or everyone read it. Never where files have
/// access lists instead.
[[nodiscard]] bool is_readable_by_others(const std::string& path);

/// Writes beside `path` and takes its place when all is on the disk: there is the old content or
/// the new one. The error is the first of whatever failed.
[[nodiscard]] std::error_code replace_file(const std::string& path, std::string_view content);

/// For a handler of what ends the process, a signal or an event of the console: removes what
/// replace_file has begun to write. Called once, and then the process ends.
void remove_unfinished_file() noexcept;

/// By the system's rules: `/a`; on Windows `C:\a` and `\\server\a`, but not `\a`.
[[nodiscard]] bool is_absolute(const std::string& path);

/// More than a name: with `/`, and on Windows also `\` or a drive.
[[nodiscard]] bool has_folder(std::string_view path);

/// A name relative to `folder`; an absolute one as it is. Lexical only.
[[nodiscard]] std::string resolve_path(const std::string& path, const std::string& folder);

/// The folder part of a path as given; `.` where there is none.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Without `.`, `x/..` and repeated separators: Go's filepath.Clean.
[[nodiscard]] std::string clean_path(const std::string& path);

}  // namespace dsdoctor::kube
