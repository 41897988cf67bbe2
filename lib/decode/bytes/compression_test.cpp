// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/compression.h"

#include <lzma.h>

#include <catch2/catch.hpp>
#include <cstdint>
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

/// Varied text, so that it does not compress to almost nothing.
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

TEST_CASE("compression is detected by magic bytes", "[decode][compression]") {
  CHECK(decode::compression_of(testing::gzip("x")) == decode::Compression::Gzip);
  CHECK(decode::compression_of(testing::xz("x")) == decode::Compression::Xz);
  CHECK(decode::compression_of(testing::zstd("x")) == decode::Compression::Zstd);
  CHECK(decode::compression_of(testing::bzip2("x")) == decode::Compression::Bzip2);
  CHECK(decode::compression_of(testing::lz4("x")) == decode::Compression::Lz4);
  CHECK_FALSE(decode::compression_of("BZhere: it is text"));
  CHECK_FALSE(decode::compression_of("{}"));
  CHECK_FALSE(decode::compression_of(""));
}

TEST_CASE("compressed data is decompressed to the same bytes", "[decode][compression]") {
  const auto pack =
      GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd, testing::bzip2, testing::lz4);
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

TEST_CASE("data that is truncated anywhere is rejected", "[decode][compression]") {
  const auto [pack, name] = GENERATE(table<Pack, std::string>({{testing::gzip, "gzip"},
                                                               {testing::xz, "xz"},
                                                               {testing::zstd, "zstd"},
                                                               {testing::bzip2, "bzip2"},
                                                               {testing::lz4, "lz4"}}));
  const std::string packed = pack(text(5000));
  for (std::size_t size = 8; size < packed.size(); size += 11) {
    CAPTURE(name, size);
    CHECK(unpacked(packed.substr(0, size)) == "error: x: the " + name + " data is cut off");
  }
}

TEST_CASE("damaged data is never accepted", "[decode][compression]") {
  const auto pack =
      GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd, testing::bzip2, testing::lz4);
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

TEST_CASE("several members and padding of zero bytes are accepted and all else is rejected",
          "[decode][compression]") {
  struct Format {
    Pack pack;
    std::string name;
    std::string magic;         // the first byte of a member
    std::string not_a_member;  // error of the library if only this byte is right
  };
  const Format format =
      GENERATE(values<Format>({{testing::gzip, "gzip", "\x1f", "incorrect header check"},
                               {testing::xz, "xz", "\xfd", "invalid data"},
                               {testing::zstd, "zstd", "\x28", "Unknown frame descriptor"},
                               {testing::bzip2, "bzip2", "B", "invalid data"},
                               {testing::lz4, "lz4", "\x04", "frameType unknown"}}));
  const std::string content = text(70000);
  const std::string member = format.pack(content);
  const std::string empty = format.pack("");
  const std::string zeros(1024, '\0');
  const std::string refused = "error: x: the " + format.name + " data is ";
  struct Row {
    const char* what;
    std::string packed;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"no content", empty, ""},
      {"three members", member + member + member, content + content + content},
      {"empty members around", empty + member + empty, content},
      {"one zero byte", member + zeros.substr(0, 1), content},
      {"zero bytes", member + zeros, content},
      {"zero bytes between members", member + zeros.substr(0, 5) + member, content + content},
      {"text", member + "text", refused + "followed by something else"},
      {"a line feed", member + "\n", refused + "followed by something else"},
      {"text behind zero bytes", member + zeros + "{}", refused + "followed by something else"},
      {"the beginning of a member", member + format.magic, refused + "cut off"},
      {"half a member", member + member.substr(0, member.size() / 2), refused + "cut off"},
      {"what only begins as a member", member + format.magic + "text text text text",
       refused + "damaged: " + format.not_a_member}};
  for (const Row& row : rows) {
    for (const std::size_t piece : {std::size_t{1} << 20U, std::size_t{512}, std::size_t{1}}) {
      CAPTURE(format.name, row.what, piece);
      CHECK(unpacked(row.packed, piece) == row.expected);
    }
  }
}

TEST_CASE("headers and checksums are checked", "[decode][compression]") {
  struct Row {
    Pack pack;
    int at;  // from the end, where it is negative
    std::string expected;
  };
  for (const Row& row : std::vector<Row>{
           {testing::gzip, 2, "gzip data is damaged: unknown compression method"},
           {testing::gzip, 3, "gzip data is damaged: unknown header flags set"},
           {testing::gzip, -8, "gzip data is damaged: incorrect data check"},
           {testing::gzip, -4, "gzip data is damaged: incorrect length check"},
           {testing::xz, 8, "xz data is damaged: invalid data"},
           {testing::xz, -1, "xz data is damaged: invalid data"},
           {testing::zstd, -1, "zstd data is damaged: Restored data doesn't match checksum"},
           {testing::bzip2, 10, "bzip2 data is damaged: invalid data"},
           {testing::bzip2, -2, "bzip2 data is damaged: invalid data"},
           {testing::lz4, 4, "lz4 data is damaged: headerVersion wrong"},
           {testing::lz4, -1, "lz4 data is damaged: contentChecksum invalid"}}) {
    std::string packed = row.pack(text(5000));
    const std::size_t at = row.at < 0 ? packed.size() - static_cast<std::size_t>(-row.at)
                                      : static_cast<std::size_t>(row.at);
    packed[at] = static_cast<char>(packed[at] ^ 0x80);
    CAPTURE(row.expected, row.at);
    CHECK(unpacked(packed) == "error: x: the " + row.expected);
  }
}

TEST_CASE("the memory of a decoder is limited", "[decode][compression]") {
  // A frame with a window of 2^(10 + n/8) bytes, and one empty block.
  const auto frame = [](char window) {
    return "\x28\xb5\x2f\xfd" + std::string({'\0', window, '\x01', '\0', '\0'});
  };
  CHECK(unpacked(frame('\x88')) == "");  // 128 MiB
  CHECK(unpacked(frame('\x90')) ==       // 256 MiB
        "error: x: the zstd data is damaged: Frame requires too much memory for decoding");

  // The header of the first block, with a different dictionary size.
  const auto block = [](char dictionary) {
    constexpr std::size_t header = 12;
    constexpr std::size_t checksum = 4;
    std::string packed = testing::xz("x");
    const std::size_t end = header + (static_cast<std::size_t>(packed[header]) + 1) * 4 - checksum;
    packed[packed.find('\x21', header + 2) + 2] = dictionary;  // after the filter's id and a size
    const std::uint32_t sum =
        lzma_crc32(reinterpret_cast<const std::uint8_t*>(packed.data()) + header, end - header, 0);
    for (std::size_t i = 0; i < checksum; ++i) {
      packed[end + i] = static_cast<char>((sum >> (8 * i)) & 0xffU);
    }
    return packed;
  };
  CHECK(unpacked(block('\x1f')) == "x");  // 192 MiB
  CHECK(unpacked(block('\x21')) ==        // 384 MiB
        "error: x: the xz data is damaged: unpacking takes more than 256 MiB of memory");
}

TEST_CASE("data that decompresses to too many bytes is rejected", "[decode][compression]") {
  const auto pack =
      GENERATE(as<Pack>{}, testing::gzip, testing::xz, testing::zstd, testing::bzip2, testing::lz4);
  const std::string packed = pack(std::string(std::size_t{32} << 20U, ' '));
  decode::UnpackLimits limits;
  limits.total_bytes = std::uint64_t{8} << 20U;
  CHECK(unpacked(packed, 4096, limits) ==
        "error: x: unpacks to more than 8 MiB, the limit for one archive");
  limits = {};
  limits.ratio = 200;  // lz4 compresses to 1/250 at most
  limits.ratio_from = std::uint64_t{1} << 20U;
  CHECK(unpacked(packed, 4096, limits) ==
        "error: x: unpacks to 200 times its size or more, the limit beyond 1 MiB");
}
