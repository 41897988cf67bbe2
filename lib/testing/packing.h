#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::testing {

[[nodiscard]] std::string gzip(std::string_view content);
[[nodiscard]] std::string xz(std::string_view content);

enum class EntryType { File, Folder, SymbolicLink, HardLink, Device, Pipe };

struct TarEntry {
  std::string path;
  std::string content;  // of a link: where it points
  EntryType type = EntryType::File;
};
/// `format` is libarchive's name of it: "ustar", "pax", "gnutar".
[[nodiscard]] std::string tar(const std::vector<TarEntry>& entries,
                              const std::string& format = "pax");

}  // namespace dsdoctor::testing
