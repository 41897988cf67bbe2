// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <share.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <system_error>

#include "base/text.h"
#include "kube/os/descriptors.h"
#include "kube/os/files.h"
#include "kube/os/wide_windows.h"

namespace dsdoctor::kube {
namespace {

// The handler that ends the process runs on its own thread, in parallel.
std::mutex unfinished_is_taken;                 // NOLINT(*-avoid-non-const-global-variables)
const std::wstring* unfinished_path = nullptr;  // NOLINT(*-avoid-non-const-global-variables)

std::error_code last_error() {
  // maps the errors that users see; the others keep the system's numbers
  switch (const DWORD error = ::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return {ENOENT, std::generic_category()};
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT: return {EACCES, std::generic_category()};
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return {EEXIST, std::generic_category()};
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return {ENOSPC, std::generic_category()};
    default: return {static_cast<int>(error), std::system_category()};
  }
}

std::error_code write_all(HANDLE file, std::string_view content) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  while (!content.empty()) {
    DWORD written = 0;
    if (::WriteFile(file, content.data(), static_cast<DWORD>(std::min(content.size(), most)),
                    &written, nullptr) == 0) {
      return last_error();
    }
    content.remove_prefix(written);
  }
  return ::FlushFileBuffers(file) == 0 ? last_error() : std::error_code();
}

/// The file can be removed at any time from here on: it is opened with FILE_SHARE_DELETE.
HANDLE begin_file(const std::wstring& part) {
  const std::scoped_lock lock(unfinished_is_taken);
  const HANDLE file = ::CreateFileW(part.c_str(), GENERIC_WRITE, FILE_SHARE_DELETE, nullptr,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file != INVALID_HANDLE_VALUE && unfinished_path == nullptr) unfinished_path = &part;
  return file;
}

/// Renames the file to `path`, or removes it.
std::error_code end_file(const std::wstring& part, const std::string& path,
                         std::error_code failure) {
  const std::scoped_lock lock(unfinished_is_taken);
  constexpr DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (!failure && ::MoveFileExW(part.c_str(), wide(path).c_str(), how) == 0) failure = last_error();
  if (failure) ::DeleteFileW(part.c_str());
  if (unfinished_path == &part) unfinished_path = nullptr;
  return failure;
}

}  // namespace

int open_to_read(const std::string& path, Opening /*how*/) {
  int file = -1;
  const errno_t failed =
      ::_wsopen_s(&file, wide(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYNO, 0);
  if (failed == 0) return file;
  // opening a folder fails like this, but not for lack of permission
  const DWORD attributes = ::GetFileAttributesW(wide(path).c_str());
  const bool folder =
      attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  errno = folder ? EISDIR : failed;
  return -1;
}

std::ptrdiff_t read_some(int file, std::span<char> buffer) {
  return ::_read(file, buffer.data(), static_cast<unsigned>(buffer.size()));
}

int wait_to_read(int /*file*/, std::chrono::milliseconds /*longest*/) { return 1; }

void close_file(int file) { ::_close(file); }

bool is_readable_by_others(const std::string& /*path*/) { return false; }

std::error_code replace_file(const std::string& path, std::string_view content) {
  const std::size_t name = path.find_last_of("/\\:") + 1;  // npos + 1 is 0
  const std::wstring part = wide(fmt::format("{}.{}.{}.part", path.substr(0, name),
                                             path.substr(name), ::GetCurrentProcessId()));
  const HANDLE file = begin_file(part);
  if (file == INVALID_HANDLE_VALUE) return last_error();
  const std::error_code failure = write_all(file, content);
  ::CloseHandle(file);
  return end_file(part, path, failure);
}

void remove_unfinished_file() noexcept {
  unfinished_is_taken.lock();  // never unlocked: no file is begun or renamed any more
  if (unfinished_path != nullptr) ::DeleteFileW(unfinished_path->c_str());
}

/// Not std::filesystem's: one library treats `/a` as absolute, although it has no drive.
bool is_absolute(const std::string& path) {
  const auto separates = [&](std::size_t at) {
    return at < path.size() && (path[at] == '/' || path[at] == '\\');
  };
  const bool has_drive = path.size() > 2 && base::is_letter(path[0]) && path[1] == ':';
  return has_drive ? separates(2) : separates(0) && separates(1);
}

bool has_folder(std::string_view path) {
  return path.find_first_of("/\\:") != std::string_view::npos;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of("/\\");
  if (slash == std::string::npos) return ".";
  if (slash == 0) return "\\";
  return path.substr(
      0,
      path[slash - 1] == ':' ? slash + 1 : slash);  // `C:` alone would be another folder
}

}  // namespace dsdoctor::kube
