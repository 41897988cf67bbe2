// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::decode {

/// The last bytes of a zip archive, as far as it was read. At its end is the directory: a reader
/// from front to back needs it to know that it found every entry, and which entries are links.
class ZipEnd {
 public:
  /// Adds a piece of the archive; keeps the last 4 MiB, the directory of about 40,000 entries.
  void add(std::string_view piece);

  /// The name in the header of the first entry at or behind a position of the archive; null if it
  /// is not among the kept bytes. libarchive would convert it to the locale.
  [[nodiscard]] std::optional<std::string> name_behind(std::uint64_t position) const;

  /// The archive ends with the record that locates its directory.
  [[nodiscard]] bool is_complete() const;
  /// The directory has this number of entries. REQUIRES: is_complete().
  [[nodiscard]] bool counts(std::uint64_t entries) const;
  /// The names of symbolic links; empty if the directory is not among the kept bytes.
  [[nodiscard]] std::vector<std::string> links() const;

 private:
  [[nodiscard]] std::size_t end_record() const;
  [[nodiscard]] std::size_t zip64_record(std::size_t end) const;
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t bytes) const;

  std::string kept_;
  std::uint64_t dropped_ = 0;  // bytes before the kept ones
};

}  // namespace dsdoctor::decode
