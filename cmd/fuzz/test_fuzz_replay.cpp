// SPDX-License-Identifier: Apache-2.0

// Runs a target on the files of a folder: seeds, and inputs that have found bugs.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz/test_fuzz.h"

namespace fs = std::filesystem;

namespace {

/// False: the target has failed on a file.
bool replay(const dsdoctor::fuzz::FuzzTarget& target, const std::vector<fs::path>& files) {
  bool good = true;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    try {
      target.run(bytes);
      target.run(std::string_view(bytes).substr(0, bytes.size() / 2));
    } catch (const std::exception& error) {
      std::cout << file.string() << ": " << error.what() << "\n";
      good = false;
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: dsdoctor_fuzz_replay FOLDER/TARGET\n";
    return 2;
  }
  const fs::path folder = argv[1];
  const auto* target = dsdoctor::fuzz::target_named(folder.filename().string());
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) files.push_back(entry.path());
  if (target == nullptr || files.empty()) {
    std::cerr << "no such target, or no files for it: " << folder << "\n";
    return 2;
  }
  std::ranges::sort(files);
  return replay(*target, files) ? 0 : 1;
}
