// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"

namespace dsdoctor::kube {

/// How long a FIFO or a terminal in the place of a file may take. Files that users did not name as
/// an argument should not stop a command.
inline constexpr std::chrono::milliseconds short_patience = std::chrono::seconds(1);
inline constexpr std::chrono::milliseconds long_patience = std::chrono::seconds(10);

/// Reads a file, a FIFO or a `/dev/fd/N`: opened once, read to its end.
/// Errors, in Go's words (`open F: no such file or directory`): NotFound; Unreadable, also for a
/// folder, for more than `limit` bytes, and for a FIFO or a device that has no end after `patience`
/// (without one, it is waited for; not on Windows, where files have an end).
[[nodiscard]] base::Result<std::string> read_file(
    const std::string& path, std::size_t limit,
    std::optional<std::chrono::milliseconds> patience = std::nullopt);

/// Returns the error of opening the file; reads nothing, and does not wait for a FIFO.
[[nodiscard]] base::Status check_readable(const std::string& path);

/// Anything with that name; a dangling link does not exist.
[[nodiscard]] bool exists(const std::string& path);
/// Anything except a folder.
[[nodiscard]] bool is_file(const std::string& path);

/// Reports whether the mode of a regular file lets its group or everyone read it. Always false
/// where files have access lists instead.
[[nodiscard]] bool is_readable_by_others(const std::string& path);

/// Writes a new file beside `path` and renames it when all is on the disk: `path` has either the
/// old or the new content. Returns the first error.
[[nodiscard]] std::error_code replace_file(const std::string& path, std::string_view content);

/// For a handler that ends the process (a signal, a console event): removes the file that
/// replace_file has begun to write. Called once, before the process ends.
void remove_unfinished_file() noexcept;

/// By the system's rules: `/a`; on Windows `C:\a` and `\\server\a`, but not `\a`.
[[nodiscard]] bool is_absolute(const std::string& path);

/// More than a name: contains `/`, on Windows also `\` or a drive.
[[nodiscard]] bool has_folder(std::string_view path);

/// Joins a relative path to `folder`; an absolute one is unchanged. Lexical only.
[[nodiscard]] std::string resolve_path(const std::string& path, const std::string& folder);

/// The folder part of a path as given; `.` if it has none.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Removes `.`, `x/..` and repeated separators: Go's filepath.Clean.
[[nodiscard]] std::string clean_path(const std::string& path);

}  // namespace dsdoctor::kube
