#include "kube/os/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

/// "no such file or directory": lower case, as Go has it.
std::string words_of(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = base::to_lower(text[0]);
  return text;
}

base::Error file_error(const char* operation, const std::string& path, int error) {
  return {error == ENOENT ? base::ErrorKind::NotFound : base::ErrorKind::Unreadable,
          fmt::format("{} {}", operation, path), words_of(error)};
}

}  // namespace

base::Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(*-vararg)
  if (file < 0) return file_error("open", path, errno);
  std::string bytes;
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): filled by read
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      ::close(file);
      return file_error("read", path, error);
    }
    if (got == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limit) {
      ::close(file);
      return base::Error{base::ErrorKind::Unreadable, fmt::format("read {}", path),
                         fmt::format("is larger than {} bytes", limit)};
    }
  }
  ::close(file);
  return bytes;
}

std::string resolve_path(const std::string& path, const std::string& folder) {
  if (path.empty() || path.front() == '/' || folder.empty()) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace dsdoctor::kube
