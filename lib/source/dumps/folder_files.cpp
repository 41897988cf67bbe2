// SPDX-License-Identifier: Apache-2.0
#include "source/dumps/folder_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dsdoctor::source {

namespace fs = std::filesystem;

base::Error cannot_open(const std::string& path, const std::error_code& why) {
  if (why == std::errc::no_such_file_or_directory) {
    return {base::ErrorKind::NotFound, "", fmt::format("the path \"{}\" does not exist", path)};
  }
  return {base::ErrorKind::Unreadable, path, fmt::format("cannot be read: {}", why.message())};
}

base::Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> result;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::none, error);
  const fs::recursive_directory_iterator end;
  while (!error && at != end) {
    const fs::path path = at->path();
    std::error_code dangling;  // a dangling link is not a file and not an error
    if (path.filename().string().starts_with('.')) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(dangling)) {
      result.push_back(path.lexically_relative(folder).generic_string());
    }
    at.increment(error);
  }
  if (error) return cannot_open(folder, error);
  std::ranges::sort(result);
  return result;
}

}  // namespace dsdoctor::source
