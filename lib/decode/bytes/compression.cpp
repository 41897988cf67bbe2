// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/compression.h"

#include <bzlib.h>
#include <fmt/format.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace dsdoctor::decode {
namespace {

using std::string_view_literals::operator""sv;  // NOLINT(misc-unused-using-decls): used below

constexpr std::size_t piece_bytes = std::size_t{256} << 10U;
constexpr int zstd_level = 9;  // half the size of gzip, as fast; higher levels only take longer
constexpr std::uint64_t xz_memory = std::uint64_t{256} << 20U;  // xz -9 takes 65 MiB

bool is_zstd(std::string_view opening) {
  if (opening.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  // a skippable frame may come first
  return opening.size() >= 4 && (static_cast<unsigned char>(opening[0]) & 0xf0U) == 0x50 &&
         opening.substr(1, 3) == "\x2a\x4d\x18"sv;
}

bool is_bzip2(std::string_view opening) {
  return opening.size() >= 4 && opening.starts_with("BZh") && opening[3] >= '1' &&
         opening[3] <= '9';
}

/// The result of one step of a decoder.
struct Step {
  std::size_t taken = 0;
  std::size_t made = 0;
  bool ended = false;  // the member, or frame, is complete
  std::string damage;  // the fault of the data; empty if there is none
};

/// A streaming decoder. libarchive's filters (3.6.2) are not used: they ignore the checksum of gzip
/// and bytes after its data, do not limit the memory of xz, and reject zero bytes after zstd data.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Prepares for a new member.
  virtual void restart() = 0;
  virtual Step run(std::string_view in, char* out, std::size_t room) = 0;
};

constexpr int only_gzip = 16;  // added to zlib's window bits

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() { ready_ = inflateInit2(&state_, MAX_WBITS + only_gzip) == Z_OK; }
  ~GzipDecoder() override { inflateEnd(&state_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  void restart() override { inflateReset(&state_); }

  Step run(std::string_view in, char* out, std::size_t room) override {
    if (!ready_) return {.damage = "not enough memory"};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib does not change its input
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&state_, Z_NO_FLUSH);
    Step step{in.size() - state_.avail_in, room - state_.avail_out, result == Z_STREAM_END, {}};
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      step.damage = state_.msg != nullptr ? state_.msg : "invalid data";
    }
    return step;
  }

 private:
  z_stream state_ = {};
  bool ready_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  void restart() override { ZSTD_DCtx_reset(state_.get(), ZSTD_reset_session_only); }

  Step run(std::string_view in, char* out, std::size_t room) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, room, 0};
    const std::size_t result = ZSTD_decompressStream(state_.get(), &output, &input);
    Step step{input.pos, output.pos, result == 0, {}};
    if (ZSTD_isError(result) != 0) step.damage = ZSTD_getErrorName(result);
    return step;
  }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> state_{ZSTD_createDStream(),
                                                                    &ZSTD_freeDStream};
};

class XzDecoder final : public Decoder {
 public:
  XzDecoder() = default;
  ~XzDecoder() override { lzma_end(&state_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  void restart() override { ready_ = lzma_stream_decoder(&state_, xz_memory, 0) == LZMA_OK; }

  Step run(std::string_view in, char* out, std::size_t room) override {
    if (!ready_) return {.damage = "not enough memory"};
    state_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = room;
    const lzma_ret result = lzma_code(&state_, LZMA_RUN);
    Step step{in.size() - state_.avail_in, room - state_.avail_out, result == LZMA_STREAM_END, {}};
    if (result == LZMA_MEMLIMIT_ERROR) {
      step.damage = "unpacking takes more than 256 MiB of memory";
    } else if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR) {
      step.damage = "invalid data";
    }
    return step;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

class Bzip2Decoder final : public Decoder {
 public:
  Bzip2Decoder() = default;
  ~Bzip2Decoder() override { end(); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;

  void restart() override {
    end();
    state_ = {};
    ready_ = BZ2_bzDecompressInit(&state_, 0, 0) == BZ_OK;
  }

  Step run(std::string_view in, char* out, std::size_t room) override {
    if (!ready_) return {.damage = "not enough memory"};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): libbz2 does not change its input
    state_.next_in = const_cast<char*>(in.data());
    state_.avail_in = static_cast<unsigned>(in.size());
    state_.next_out = out;
    state_.avail_out = static_cast<unsigned>(room);
    const int result = BZ2_bzDecompress(&state_);
    Step step{in.size() - state_.avail_in, room - state_.avail_out, result == BZ_STREAM_END, {}};
    if (result == BZ_MEM_ERROR) {
      step.damage = "not enough memory";
    } else if (result != BZ_OK && result != BZ_STREAM_END) {
      step.damage = "invalid data";
    }
    return step;
  }

 private:
  void end() {
    if (ready_) BZ2_bzDecompressEnd(&state_);
    ready_ = false;
  }

  bz_stream state_ = {};
  bool ready_ = false;
};

class Lz4Decoder final : public Decoder {
 public:
  Lz4Decoder() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&state_, LZ4F_VERSION)) != 0) state_ = nullptr;
  }
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(state_); }
  Lz4Decoder(const Lz4Decoder&) = delete;
  Lz4Decoder& operator=(const Lz4Decoder&) = delete;

  void restart() override {
    if (state_ != nullptr) LZ4F_resetDecompressionContext(state_);
  }

  Step run(std::string_view in, char* out, std::size_t room) override {
    if (state_ == nullptr) return {.damage = "not enough memory"};
    std::size_t taken = in.size();
    std::size_t made = room;
    const std::size_t result = LZ4F_decompress(state_, out, &made, in.data(), &taken, nullptr);
    if (LZ4F_isError(result) != 0) return {.damage = reason(LZ4F_getErrorName(result))};
    return {taken, made, result == 0, {}};
  }

 private:
  /// Turns "ERROR_contentChecksum_invalid" into "contentChecksum invalid".
  static std::string reason(std::string_view name) {
    constexpr std::string_view prefix = "ERROR_";
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    std::string result(name);
    std::ranges::replace(result, '_', ' ');
    return result;
  }

  LZ4F_dctx* state_ = nullptr;
};

std::unique_ptr<Decoder> decoder_of(Compression compression) {
  switch (compression) {
    case Compression::Gzip: return std::make_unique<GzipDecoder>();
    case Compression::Zstd: return std::make_unique<ZstdDecoder>();
    case Compression::Xz: return std::make_unique<XzDecoder>();
    case Compression::Bzip2: return std::make_unique<Bzip2Decoder>();
    case Compression::Lz4: return std::make_unique<Lz4Decoder>();
  }
  return nullptr;
}

class Decompressed final : public ByteStream {
 public:
  Decompressed(Compression compression, ByteStream& from, std::string name, UnpackBudget& budget)
      : compression_(compression),
        from_(from),
        name_(std::move(name)),
        budget_(budget),
        decoder_(decoder_of(compression)) {}

  base::Result<std::string_view> next() override {
    std::size_t made = 0;
    while (made == 0) {
      if (auto more = fetch(); !more) return more.error();
      if (in_.empty() && !pending_) {
        if (inside_) return failed("is cut off");
        return std::string_view();
      }
      if (!inside_ && !begin_member()) {
        if (in_.empty()) continue;  // padding
        return failed("is followed by something else");
      }
      const Step step = decoder_->run(in_, out_.data(), out_.size());
      if (!step.damage.empty()) return failed(fmt::format("is damaged: {}", step.damage));
      in_.remove_prefix(step.taken);
      made = step.made;
      pending_ = !step.ended && made == out_.size();
      inside_ = !step.ended;
    }
    if (auto counted = budget_.unpacked(made, name_); !counted) return counted.error();
    return std::string_view(out_.data(), made);
  }

 private:
  base::Status fetch() {
    if (!in_.empty() || pending_ || ended_) return std::monostate{};
    auto piece = from_.next();
    if (!piece) return piece.error();
    in_ = *piece;
    ended_ = in_.empty();
    return std::monostate{};
  }

  /// Whether a member begins here, after zero bytes.
  bool begin_member() {
    if (members_ > 0) {
      in_.remove_prefix(std::min(in_.find_first_not_of('\0'), in_.size()));
      if (in_.empty() || !may_begin(in_.front())) return false;
    }
    ++members_;
    inside_ = true;
    decoder_->restart();
    return true;
  }

  /// The bytes that follow may be in the next piece; the decoder checks them.
  [[nodiscard]] bool may_begin(char first) const {
    const auto byte = static_cast<unsigned char>(first);
    switch (compression_) {
      case Compression::Gzip: return byte == 0x1f;
      case Compression::Zstd: return byte == 0x28 || (byte & 0xf0U) == 0x50;
      case Compression::Xz: return byte == 0xfd;
      case Compression::Bzip2: return first == 'B';
      case Compression::Lz4: return byte == 0x04 || (byte & 0xf0U) == 0x50;
    }
    return false;
  }

  base::Error failed(std::string_view what) const {
    return {base::ErrorKind::Malformed, name_,
            fmt::format("the {} data {}", to_string(compression_), what)};
  }

  Compression compression_;
  ByteStream& from_;
  std::string name_;
  UnpackBudget& budget_;
  std::unique_ptr<Decoder> decoder_;
  std::string_view in_;  // rest of the piece from `from_` that was not consumed yet
  std::string out_ = std::string(piece_bytes, '\0');
  bool ended_ = false;    // `from_` has no more
  bool inside_ = false;   // a member has begun and not ended
  bool pending_ = false;  // the decoder may hold output that did not fit
  std::size_t members_ = 0;
};

}  // namespace

std::optional<Compression> compression_of(std::string_view opening) {
  if (opening.starts_with("\x1f\x8b"sv)) return Compression::Gzip;
  if (is_zstd(opening)) return Compression::Zstd;
  if (opening.starts_with("\xfd"
                          "7zXZ\0"sv)) {
    return Compression::Xz;
  }
  if (is_bzip2(opening)) return Compression::Bzip2;
  if (opening.starts_with("\x04\x22\x4d\x18"sv)) return Compression::Lz4;
  return std::nullopt;
}

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::Gzip: return "gzip";
    case Compression::Zstd: return "zstd";
    case Compression::Xz: return "xz";
    case Compression::Bzip2: return "bzip2";
    case Compression::Lz4: return "lz4";
  }
  return "";
}

std::unique_ptr<ByteStream> decompressed(Compression compression, ByteStream& from,
                                         std::string name, UnpackBudget& budget) {
  return std::make_unique<Decompressed>(compression, from, std::move(name), budget);
}

struct ZstdFrame::State {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  std::string piece = std::string(ZSTD_CStreamOutSize(), '\0');
  std::string result;

  base::Status run(std::string_view content, ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{content.data(), content.size(), 0};
    for (;;) {
      ZSTD_outBuffer output{piece.data(), piece.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &output, &input, directive);
      if (ZSTD_isError(left) != 0) {
        return base::Error{base::ErrorKind::Internal, "",
                           fmt::format("compressing failed: {}", ZSTD_getErrorName(left))};
      }
      result.append(piece, 0, output.pos);
      const bool taken = input.pos == input.size;
      if (taken && (directive == ZSTD_e_continue || left == 0)) return std::monostate{};
    }
  }
};

ZstdFrame::ZstdFrame() : state_(std::make_unique<State>()) {
  ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_compressionLevel, zstd_level);
  ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_checksumFlag, 1);
}
ZstdFrame::~ZstdFrame() = default;

base::Status ZstdFrame::add(std::string_view piece) { return state_->run(piece, ZSTD_e_continue); }

base::Result<std::string> ZstdFrame::finish() {
  if (auto status = state_->run({}, ZSTD_e_end); !status) return status.error();
  return std::move(state_->result);
}

struct GzipMember::State {
  z_stream stream = {};
  bool ready = false;
  std::string piece = std::string(piece_bytes, '\0');
  std::string result;

  base::Status run(std::string_view content, int flush) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib does not change its input
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    for (int state = Z_OK; ready;) {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      state = deflate(&stream, flush);
      if (state == Z_STREAM_ERROR) break;
      result.append(piece, 0, piece.size() - stream.avail_out);
      if (stream.avail_out != 0) return std::monostate{};
    }
    return base::Error{base::ErrorKind::Internal, "", "compressing failed"};
  }
};

GzipMember::GzipMember() : state_(std::make_unique<State>()) {
  constexpr int memory_level = 8;  // zlib's default
  state_->ready = deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                               MAX_WBITS + only_gzip, memory_level, Z_DEFAULT_STRATEGY) == Z_OK;
}
GzipMember::~GzipMember() { deflateEnd(&state_->stream); }

base::Status GzipMember::add(std::string_view piece) { return state_->run(piece, Z_NO_FLUSH); }

base::Result<std::string> GzipMember::finish() {
  if (auto status = state_->run({}, Z_FINISH); !status) return status.error();
  return std::move(state_->result);
}

}  // namespace dsdoctor::decode
