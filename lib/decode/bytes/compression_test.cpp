#include "decode/bytes/compression.h"

#include <catch2/catch.hpp>
#include <functional>

#include "testing/packing.h"

using namespace dsdoctor;
using Pack = std::function<std::string(std::string_view)>;

namespace {

/// The content, or "error: ...".
std::string unpacked(const std::string& packed, std::size_t piece = 4096,
                     const decode::UnpackLimits& limits = {}) {
  const auto compression = decode::compression_of(packed);
  REQUIRE(compression);
  testing::Pieces pieces(packed, piece);
  decode::UnpackBudget budget(limits);
  budget.packed(packed.size());
  const auto stream = decode::decompressed(*compression, pieces, "x", budget);
  std::string content;
  for (;;) {
    const auto next = stream->next();
    if (!next) return "error: " + base::to_string(next.error());
    if (next->empty()) return content;
    content += *next;
  }
}

/// Not all alike, so that it does not shrink to nothing.
std::string text(std::size_t size) {
  std::string result;
  unsigned state = 1;
  while (result.size() < size) {
    state = state * 1664525U + 1013904223U;
    result += "line " + std::to_string(state >> 20U) + "\n";
  }
  result.resize(size);
  return result;
}

}  // namespace

TEST_CASE("compressed data is told by its first bytes", "[decode][compression]") {
  CHECK(decode::compression_of(testing::gzip("x")) == decode::Compression::Gzip);
  CHECK(decode::compression_of(testing::xz("x")) == decode::Compression::Xz);
  CHECK(decode::compression_of(testing::zstd("x")) == decode::Compression::Zstd);
  CHECK_FALSE(decode::compression_of("{}"));
  CHECK_FALSE(decode::compression_of(""));
}

TEST_CASE("what was packed comes out again", "[decode][compression]") {
  const auto pack = GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd);
  const std::string content = text(GENERATE(as<std::size_t>{}, 0, 1, 262144, 1000000));
  const std::string packed = pack(content);
  for (const std::size_t piece : {std::size_t{1} << 20U, std::size_t{4096}, std::size_t{7}}) {
    CAPTURE(content.size(), piece);
    CHECK(unpacked(packed, piece) == content);
  }
  CHECK(unpacked(packed + packed) == content + content);
  CHECK(unpacked(packed + packed, 1) == content + content);
  CHECK(unpacked(packed + std::string(1024, '\0')) == content);
}

TEST_CASE("data that is cut off anywhere is refused", "[decode][compression]") {
  const auto [pack, name] = GENERATE(table<Pack, std::string>(
      {{testing::gzip, "gzip"}, {testing::xz, "xz"}, {testing::zstd, "zstd"}}));
  const std::string packed = pack(text(5000));
  for (std::size_t size = 8; size < packed.size(); size += 11) {
    CAPTURE(name, size);
    CHECK(unpacked(packed.substr(0, size)) == "error: x: the " + name + " data is cut off");
  }
}

TEST_CASE("damaged data never passes for whole", "[decode][compression]") {
  const auto pack = GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd);
  const std::string content = text(5000);
  const std::string packed = pack(content);
  for (std::size_t at = 12; at < packed.size(); at += 7) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const std::string got = unpacked(damaged);
    CAPTURE(at, got.substr(0, 80));
    CHECK((got.starts_with("error: x: the ") || got == content));
  }
  CHECK(unpacked(packed + "garbage").ends_with(" data is followed by something else"));
}

TEST_CASE("what unpacks to too much is refused by a limit", "[decode][compression]") {
  const auto pack = GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd);
  const std::string packed = pack(std::string(std::size_t{32} << 20U, ' '));
  decode::UnpackLimits limits;
  limits.total_bytes = std::uint64_t{8} << 20U;
  CHECK(unpacked(packed, 4096, limits) ==
        "error: x: unpacks to more than 8 MiB, the limit for one archive");
  limits = {};
  limits.ratio = 500;
  limits.ratio_from = std::uint64_t{1} << 20U;
  CHECK(unpacked(packed, 4096, limits) ==
        "error: x: unpacks to 500 times its size or more, the limit beyond 1 MiB");
}
