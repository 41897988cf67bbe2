#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/bytes/byte_stream.h"

namespace dsdoctor::decode {

enum class Compression { Gzip, Zstd, Xz };

/// Told by the first bytes, never by a name; null for anything else.
[[nodiscard]] std::optional<Compression> compression_of(std::string_view opening);
/// "gzip"
[[nodiscard]] std::string_view to_string(Compression compression);

/// What `from` holds compressed. Several members behind each other are one, as the tools have it;
/// zero bytes behind the last are padding. Checksums are checked. `from` and `budget` must outlive
/// the stream; `name` is what errors call it.
/// Errors, beside those of `from`: Malformed where the data is cut off, damaged, followed by
/// something else, or exceeds the budget.
[[nodiscard]] std::unique_ptr<ByteStream> decompressed(Compression compression, ByteStream& from,
                                                       std::string name, UnpackBudget& budget);

/// One zstd frame with checksum, made piece by piece, so that only the result is held in memory.
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

/// One gzip member, made piece by piece; the same content gives the same bytes.
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

/// The content as one zstd frame with checksum. Errors: Internal, where memory is short.
[[nodiscard]] base::Result<std::string> zstd(std::string_view content);

}  // namespace dsdoctor::decode
