// SPDX-License-Identifier: Apache-2.0
#include "kube/os/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "kube/os/descriptors.h"

namespace dsdoctor::kube {

namespace fs = std::filesystem;

namespace {

/// "no such file or directory": in lower case, like in Go.
std::string words_of(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = base::to_lower(text[0]);
  return text;
}

base::Error file_error(const char* operation, const std::string& path, int error) {
  return {error == ENOENT ? base::ErrorKind::NotFound : base::ErrorKind::Unreadable,
          fmt::format("{} {}", operation, path), words_of(error)};
}

/// Closes the file in its destructor.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) close_file(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

base::Result<std::string> read_file(const std::string& path, std::size_t limit,
                                    std::optional<std::chrono::milliseconds> patience) {
  using Clock = std::chrono::steady_clock;
  const OpenFile file(open_to_read(path, patience ? Opening::AtOnce : Opening::Wait));
  if (file.get() < 0) return file_error("open", path, errno);
  const auto start = Clock::now();
  std::string bytes;
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): filled by read_some
  for (;;) {
    if (patience) {
      const auto left =
          *patience - std::chrono::floor<std::chrono::milliseconds>(Clock::now() - start);
      const int ready = wait_to_read(file.get(), std::max(left, std::chrono::milliseconds(0)));
      if (ready < 0) return file_error("read", path, errno);
      if (ready == 0) {
        return base::Error{
            base::ErrorKind::Unreadable, fmt::format("read {}", path),
            fmt::format("is no regular file and did not end within {} s",
                        std::chrono::floor<std::chrono::seconds>(*patience).count())};
      }
    }
    const std::ptrdiff_t got = read_some(file.get(), buffer);
    if (got < 0) return file_error("read", path, errno);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limit) {
      return base::Error{base::ErrorKind::Unreadable, fmt::format("read {}", path),
                         fmt::format("is larger than {} bytes", limit)};
    }
  }
}

base::Status check_readable(const std::string& path) {
  const OpenFile file(open_to_read(path, Opening::AtOnce));
  if (file.get() < 0) return file_error("open", path, errno);
  return std::monostate{};
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::status(path, error));
}

bool is_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_directory(status);
}

std::string resolve_path(const std::string& path, const std::string& folder) {
  if (path.empty() || is_absolute(path) || folder.empty()) return path;
  return (fs::path(folder) / path).lexically_normal().string();
}

std::string clean_path(const std::string& path) {
  const fs::path clean = fs::path(path).lexically_normal();
  // `a/` is `a`, but `/` is `/`
  const fs::path& result =
      clean.has_filename() || !clean.has_relative_path() ? clean : clean.parent_path();
  return result.empty() ? "." : result.string();
}

}  // namespace dsdoctor::kube
