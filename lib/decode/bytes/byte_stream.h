// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// Bytes in pieces: of a file, or of compressed or archived content.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// The next piece, valid until the next call; empty at the end, and from then on.
  /// Errors: Unreadable if reading failed; Malformed if packed data is cut off, damaged, or exceeds
  /// a limit. `where` names the file, `what` an entry of an archive.
  [[nodiscard]] virtual base::Result<std::string_view> next() = 0;
};

/// A stream whose beginning can be peeked at.
class PeekedStream final : public ByteStream {
 public:
  static constexpr std::size_t opening_bytes = 512;

  /// `from` must outlive this.
  explicit PeekedStream(ByteStream& from) : from_(from) {}

  /// The first bytes: at least `opening_bytes`, unless the stream is shorter.
  /// REQUIRES: next() was not called yet. Valid until it is.
  [[nodiscard]] base::Result<std::string_view> opening();
  [[nodiscard]] base::Result<std::string_view> next() override;

 private:
  ByteStream& from_;
  std::string held_;
  std::string_view rest_;  // of the peeked bytes: in `held_`, or the first piece
  bool looked_ = false;
};

/// Limits of decompression: more than dumps of large clusters need, but a malicious archive cannot
/// fill the memory or run for hours. gzip compresses JSON of objects to 1/100, zstd to 1/700 if the
/// objects are similar.
struct UnpackLimits {
  std::uint64_t file_bytes = std::uint64_t{1} << 30U;    // of a file that is held in memory
  std::uint64_t total_bytes = std::uint64_t{16} << 30U;  // of all files, including skipped ones
  std::uint64_t ratio = 4000;                            // unpacked to packed
  std::uint64_t ratio_from = std::uint64_t{256} << 20U;  // unpacked bytes before `ratio` applies
  std::size_t entries = 1'000'000;                       // of one archive
  int depth = 4;                                         // nested archives and compressions
};

/// The use of `UnpackLimits` by all layers of one input.
class UnpackBudget {
 public:
  explicit UnpackBudget(const UnpackLimits& limits) : limits_(limits) {}

  [[nodiscard]] const UnpackLimits& limits() const { return limits_; }
  void packed(std::size_t bytes) { packed_ += bytes; }
  /// Errors: Malformed, naming the limit; `name` is the file's.
  [[nodiscard]] base::Status unpacked(std::size_t bytes, const std::string& name);

 private:
  UnpackLimits limits_;
  std::uint64_t packed_ = 0;
  std::uint64_t unpacked_ = 0;
};

}  // namespace dsdoctor::decode
