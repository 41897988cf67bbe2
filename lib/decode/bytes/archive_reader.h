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

/// Detected by the header of the first entry: ustar, pax, GNU.
[[nodiscard]] bool is_tar(std::string_view opening);

/// Reads a tar archive from front to back, entry by entry; nothing is written anywhere and no link
/// is followed.
class TarReader {
 public:
  struct Entry {
    std::string path;  // parts separated by /, without . and empty ones
    /// A regular file with a path inside the archive. Other entries (links, devices, sparse files,
    /// absolute paths, paths with ..) have no content.
    bool readable = false;
    bool is_folder = false;
    std::uint64_t bytes = 0;
  };

  /// `from` and `budget` must outlive the reader; `name` is the archive's name in errors.
  TarReader(ByteStream& from, std::string name, UnpackBudget& budget);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  /// Skips the rest of the current entry. Null at the regular end of the archive.
  /// Errors: those of `from`; Malformed if the archive is cut off or damaged, or has too many
  /// entries; `what` names the entry.
  [[nodiscard]] base::Result<std::optional<Entry>> next();

  /// The bytes of the current entry; invalid after the next call of next().
  [[nodiscard]] ByteStream& content();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
