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

base::Result<std::vector<std::string>> inputs_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  const auto files = files_in(path);
  if (!files) return files.error();
  std::set<std::string> names;
  bool is_folder = false;  // the last one
  for (const std::string& file : *files) {
    const std::size_t slash = file.find('/');
    const bool is_dump = slash == file.npos ? is_part_of_dump(file) : begins_layout(file);
    if (is_dump) return std::vector{path};
    if (slash == file.npos && !may_be_input(path, file)) continue;
    is_folder = slash != file.npos;
    names.insert(file.substr(0, slash));
  }
  if (names.empty()) return std::vector{path};
  std::vector<std::string> result;
  result.reserve(names.size());
  for (const std::string& name : names) {
    result.push_back((fs::path(path) / name).generic_string());
  }
  if (result.size() == 1 && is_folder) return inputs_of(result.front());
  return result;
}

}  // namespace dsdoctor::source
