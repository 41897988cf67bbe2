// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/bytes/byte_stream.h"

namespace dsdoctor::decode {

enum class ArchiveFormat { Tar, Zip };

/// Detected by the header of the first entry: ustar, pax, GNU; zip, also without entries. Null for
/// other content.
[[nodiscard]] std::optional<ArchiveFormat> archive_format_of(std::string_view opening);

/// Reads an archive from front to back, entry by entry; nothing is written anywhere and no link is
/// followed.
class ArchiveReader {
 public:
  struct Entry {
    std::string path;  // parts separated by /, without . and empty ones
    /// A regular file with a path inside the archive. Other entries (links, devices, sparse files,
    /// absolute paths, paths with ..) have no content. Links in a zip archive: see `is_link`.
    bool readable = false;
    bool is_folder = false;
    bool climbs = false;  // the path has a part ..
    bool encrypted = false;
    std::uint64_t bytes = 0;  // 0 if unknown
  };

  /// `from` and `budget` must outlive the reader; `name` is the archive's name in errors.
  ArchiveReader(ArchiveFormat format, ByteStream& from, std::string name, UnpackBudget& budget);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// Skips the rest of the current entry. Null at the regular end of the archive.
  /// Errors: those of `from`; Malformed if the archive is cut off or damaged, has too many entries,
  /// or an encrypted entry that cannot be skipped; `what` names the entry.
  [[nodiscard]] base::Result<std::optional<Entry>> next();

  /// The bytes of the current entry; invalid after the next call of next(). Errors: as of next(),
  /// and Malformed if the entry is encrypted or has an unknown compression.
  [[nodiscard]] ByteStream& content();

  /// Whether the directory of the zip archive has this path as a link. An entry itself does not
  /// say so: its content is the target. REQUIRES: next() has returned null.
  [[nodiscard]] bool is_link(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
