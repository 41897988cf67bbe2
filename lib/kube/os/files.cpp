#include "kube/os/files.h"

#include <filesystem>

namespace dsdoctor::kube {

namespace fs = std::filesystem;

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
