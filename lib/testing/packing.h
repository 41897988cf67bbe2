// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/bytes/byte_stream.h"

namespace dsdoctor::testing {

[[nodiscard]] std::string gzip(std::string_view content);
[[nodiscard]] std::string xz(std::string_view content);
/// In blocks of 100 KB.
[[nodiscard]] std::string bzip2(std::string_view content);
/// One frame with a checksum.
[[nodiscard]] std::string lz4(std::string_view content);
/// As `snapshot` writes it.
[[nodiscard]] std::string zstd(std::string_view content);

enum class EntryType { File, Folder, SymbolicLink, HardLink, Device, Pipe };

struct TarEntry {
  std::string path;
  std::string content;  // of a link: its target
  EntryType type = EntryType::File;
};
/// `format`: libarchive's name: "ustar", "pax", "gnutar".
[[nodiscard]] std::string tar(const std::vector<TarEntry>& entries,
                              const std::string& format = "pax");

enum class ZipStyle {
  Deflated,
  DeflatedInStream,  // sizes after the content, as Go's archive/zip and Node.js write it
  Stored,
  StoredInStream,
};
/// Links have their type in the directory alone, as Info-ZIP, Go and Python write them.
[[nodiscard]] std::string zip(const std::vector<TarEntry>& entries,
                              ZipStyle style = ZipStyle::Deflated);
/// The same, with all entries marked as encrypted.
[[nodiscard]] std::string marked_as_encrypted(std::string zip_archive);

/// Returns its content in pieces of a fixed size.
class Pieces final : public decode::ByteStream {
 public:
  Pieces(std::string content, std::size_t size) : content_(std::move(content)), size_(size) {}
  base::Result<std::string_view> next() override {
    const std::string_view piece = std::string_view(content_).substr(at_, size_);
    at_ += piece.size();
    return piece;
  }

 private:
  std::string content_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace dsdoctor::testing
