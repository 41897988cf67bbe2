// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/bytes/byte_stream.h"

namespace dsdoctor::decode {

enum class Compression { Gzip, Zstd, Xz, Bzip2, Lz4 };

/// Detected by the first bytes, never by the name; null for other content.
[[nodiscard]] std::optional<Compression> compression_of(std::string_view opening);
/// "gzip", "zstd", "xz", "bzip2" or "lz4".
[[nodiscard]] std::string_view to_string(Compression compression);

/// Decompresses `from`. As with the usual tools, several members are concatenated, and zero bytes
/// after the last one are padding. Checksums are checked. `from` and `budget` must outlive the
/// stream; `name` is its name in errors.
/// Errors: those of `from`; Malformed if the data is cut off, damaged, followed by something else,
/// or exceeds the budget.
[[nodiscard]] std::unique_ptr<ByteStream> decompressed(Compression compression, ByteStream& from,
                                                       std::string name, UnpackBudget& budget);

/// Writes one zstd frame with checksum, piece by piece; only the result is in memory.
class ZstdFrame {
 public:
  ZstdFrame();
  ~ZstdFrame();
  ZstdFrame(const ZstdFrame&) = delete;
  ZstdFrame& operator=(const ZstdFrame&) = delete;

  /// Errors: Internal, where memory is short.
  [[nodiscard]] base::Status add(std::string_view piece);
  /// The whole frame; nothing may be added after it. Errors: as `add`.
  [[nodiscard]] base::Result<std::string> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes one gzip member, piece by piece; the same content gives the same bytes.
class GzipMember {
 public:
  GzipMember();
  ~GzipMember();
  GzipMember(const GzipMember&) = delete;
  GzipMember& operator=(const GzipMember&) = delete;

  /// Errors: Internal, where memory is short.
  [[nodiscard]] base::Status add(std::string_view piece);
  /// The whole member; nothing may be added after it. Errors: as `add`.
  [[nodiscard]] base::Result<std::string> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
