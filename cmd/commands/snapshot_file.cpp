#include "commands/snapshot_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;

base::Error cannot_write(const std::string& path, std::string what) {
  return {base::ErrorKind::Unreadable, path, std::move(what)};
}

base::Error system_error(const std::string& path, int number) {
  return cannot_write(path,
                      fmt::format("cannot be written: {}",
                                  std::error_code(number, std::generic_category()).message()));
}

bool belongs_in_a_name(char c) {
  return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

/// 0, or errno.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) != 0 && errno != EINVAL ? errno : 0;
}

}  // namespace

std::string snapshot_name(const model::SourceInfo& info) {
  std::string of = info.context;
  if (of.empty()) of = info.saved_from.empty() ? info.kind : info.saved_from;
  std::ranges::replace_if(
      of, [](char c) { return !belongs_in_a_name(c); }, '-');
  const auto seconds = std::chrono::floor<std::chrono::seconds>(info.moment());
  return fmt::format("dsdoctor-{}-{:%Y%m%dT%H%M%SZ}.json.zst", of,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

base::Status check_writable(const std::string& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::monostate{};
  if (error) return system_error(path, error.value());
  if (status.type() == fs::file_type::directory) {
    return cannot_write(path, "is a folder; expected a file name");
  }
  if (status.type() != fs::file_type::regular) {
    return cannot_write(path, "is not a regular file; use - for standard output");
  }
  if (!force) return cannot_write(path, "the file exists; use --force to overwrite it");
  return std::monostate{};
}

base::Status write_whole(const std::string& path, std::string_view content) {
  std::error_code error;
  fs::path target(path);
  if (fs::is_symlink(target, error)) {
    const fs::path real = fs::canonical(target, error);
    if (!error) target = real;
  }
  const std::string part =
      (target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), getpid()))
          .string();
  constexpr int may_read_and_write = 0666;
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,  // NOLINT(*-vararg)
                        may_read_and_write);
  if (file < 0) return system_error(path, errno);
  int failure = write_all(file, content);
  if (close(file) != 0 && failure == 0) failure = errno;
  if (failure == 0 && std::rename(part.c_str(), target.c_str()) != 0) failure = errno;
  if (failure == 0) return std::monostate{};
  unlink(part.c_str());
  return system_error(path, failure);
}

}  // namespace dsdoctor::cmd
