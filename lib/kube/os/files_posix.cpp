// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "kube/os/descriptors.h"
#include "kube/os/files.h"

namespace dsdoctor::kube {
namespace {

// Global, because a signal handler reads them, on any thread.
std::array<char, PATH_MAX> unfinished_path{};  // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> has_unfinished = false;      // NOLINT(*-avoid-non-const-global-variables)
std::atomic_flag unfinished_path_is_taken{};   // NOLINT(*-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

/// During its lifetime, a signal that ends the process removes the file.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path)
      : is_known_(path.size() < unfinished_path.size() &&
                  !unfinished_path_is_taken.test_and_set()) {
    if (!is_known_) return;  // longer than PATH_MAX, or a second file at the same time
    *std::ranges::copy(path, unfinished_path.begin()).out = '\0';
    has_unfinished = true;
  }
  ~UnfinishedFile() {
    if (!is_known_) return;
    has_unfinished = false;
    unfinished_path_is_taken.clear();
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  bool is_known_;
};

/// Returns 0 or errno.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) != 0 && errno != EINVAL ? errno : 0;
}

}  // namespace

int open_to_read(const std::string& path, Opening how) {
  const int at_once = how == Opening::AtOnce ? O_NONBLOCK : 0;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | at_once);  // NOLINT(*-vararg)
}

std::ptrdiff_t read_some(int file, std::span<char> buffer) {
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got >= 0 || errno != EINTR) return got;
  }
}

int wait_to_read(int file, std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  for (;;) {
    pollfd waiting{file, POLLIN, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

void close_file(int file) { ::close(file); }

bool is_readable_by_others(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

std::error_code replace_file(const std::string& path, std::string_view content) {
  namespace fs = std::filesystem;
  const fs::path target(path);
  const std::string part =
      (target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), ::getpid()))
          .string();
  const UnfinishedFile unfinished(
      part);  // before the file exists, because a signal may arrive in between
  constexpr int may_read_and_write = 0666;
  const int file =
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,  // NOLINT(*-vararg)
             may_read_and_write);
  if (file < 0) return {errno, std::generic_category()};
  int failure = write_all(file, content);
  if (::close(file) != 0 && failure == 0) failure = errno;
  if (failure == 0 && std::rename(part.c_str(), path.c_str()) != 0) failure = errno;
  if (failure != 0) ::unlink(part.c_str());
  return {failure, std::generic_category()};
}

void remove_unfinished_file() noexcept {
  if (has_unfinished) (void)::unlink(unfinished_path.data());
}

bool is_absolute(const std::string& path) { return path.starts_with('/'); }

bool has_folder(std::string_view path) { return path.find('/') != std::string_view::npos; }

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace dsdoctor::kube
