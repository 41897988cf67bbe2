// SPDX-License-Identifier: Apache-2.0
#include "source/dumps/inputs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "decode/bytes/sniff.h"
#include "source/dumps/dump_layout.h"
#include "source/dumps/folder_files.h"

namespace dsdoctor::source {
namespace {

namespace fs = std::filesystem;
using Content = DumpPlace::Content;

bool begins_like_objects(const fs::path& file) {
  constexpr std::size_t opening_bytes = 512;
  std::string opening(opening_bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(opening.data(), static_cast<std::streamsize>(opening.size()));
  opening.resize(static_cast<std::size_t>(stream.gcount()));
  return decode::opens_objects(opening);
}

/// Whether a collector's layout begins in the folder with this path in it.
bool begins_layout(std::string_view path) {
  const std::size_t slash = path.find('/');
  return place_in_dump(path).of_collector && slash != path.npos &&
         !place_in_dump(path.substr(slash + 1)).of_collector;
}

/// Whether the file directly in a folder is a part of a dump, not a dump.
bool is_part_of_dump(std::string_view name) {
  const DumpPlace place = place_in_dump(name);
  return place.kind || place.content == Content::ServerVersion;
}

bool may_be_input(const std::string& folder, const std::string& name) {
  switch (place_in_dump(name).content) {
    case Content::Objects:
    case Content::Archive: return true;
    case Content::Unnamed: return begins_like_objects(fs::path(folder) / name);
    case Content::Sensitive:
    case Content::Foreign:
    case Content::Hidden:
    case Content::ServerVersion:
    case Content::Timestamp:
    case Content::Other: return false;
  }
  return false;
}

}  // namespace

std::vector<std::string> inputs_among(const std::string& folder,
                                      const std::vector<std::string>& files) {
  std::set<std::string> names;
  bool is_folder = false;  // the last one
  for (const std::string& file : files) {
    const std::size_t slash = file.find('/');
    const bool is_dump = slash == file.npos ? is_part_of_dump(file) : begins_layout(file);
    if (is_dump) return {};
    if (slash == file.npos && !may_be_input(folder, file)) continue;
    is_folder = slash != file.npos;
    names.insert(file.substr(0, slash));
  }
  if (names.size() != 1 || !is_folder) return {names.begin(), names.end()};
  const std::string below = *names.begin() + "/";
  std::vector<std::string> files_below;
  for (const std::string& file : files) {
    if (file.starts_with(below)) files_below.push_back(file.substr(below.size()));
  }
  std::vector<std::string> result = inputs_among(folder + "/" + *names.begin(), files_below);
  if (result.empty()) return {*names.begin()};
  for (std::string& name : result) name.insert(0, below);
  return result;
}

base::Result<std::vector<std::string>> inputs_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  const auto files = files_in(path);
  if (!files) return files.error();
  std::vector<std::string> result = inputs_among(path, *files);
  if (result.empty()) return std::vector{path};
  for (std::string& name : result) name = (fs::path(path) / name).generic_string();
  return result;
}

}  // namespace dsdoctor::source
