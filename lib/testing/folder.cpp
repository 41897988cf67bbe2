// SPDX-License-Identifier: Apache-2.0
#include "testing/folder.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dsdoctor::testing {

namespace fs = std::filesystem;

Folder::Folder() {
  std::ostringstream name;
  name << "dsdoctor-test-" << std::hex
       << std::chrono::steady_clock::now().time_since_epoch().count();
  path_ = (fs::temp_directory_path() / name.str()).string();
  fs::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& content) const {
  const fs::path file = fs::path(path_) / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

}  // namespace dsdoctor::testing
