// SPDX-License-Identifier: Apache-2.0

// libarchive starts programs for codecs that it was not compiled with.

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/bytes/archive_reader.h"
#include "decode/bytes/compression.h"
#include "testing/folder.h"
#include "testing/packing.h"

using namespace dsdoctor;

namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;  // NOLINT(misc-unused-using-decls): used below

/// While it exists, every program that can be started by name is replaced by one that reads all its
/// input and records that it was started.
class WatchedPrograms {
 public:
  WatchedPrograms() {
    if (const char* path = std::getenv("PATH")) path_ = path;
    constexpr std::array names = {"bzip2",    "bunzip2", "compress", "uncompress", "grzip", "gzip",
                                  "gunzip",   "lrzip",   "lz4",      "lzip",       "lzma",  "lzop",
                                  "rpm2cpio", "sh",      "uudecode", "xz",         "zstd"};
    for (const char* name : names) {
      const std::string program = folder_.write(
          name, "#!/bin/sh\n: > '" + started_ + "'\n/bin/cat >/dev/null\necho done\n");
      fs::permissions(program, fs::perms::owner_all);
    }
    ::setenv("PATH", folder_.path().c_str(), 1);
  }
  ~WatchedPrograms() { ::setenv("PATH", path_.c_str(), 1); }
  WatchedPrograms(const WatchedPrograms&) = delete;
  WatchedPrograms& operator=(const WatchedPrograms&) = delete;

  [[nodiscard]] bool started() const { return fs::exists(started_); }

 private:
  testing::Folder folder_;
  std::string started_ = folder_ / "started";
  std::string path_;
};

/// Reads all entries.
void read_as(decode::ArchiveFormat format, const std::string& content) {
  testing::Pieces pieces(content, 4096);
  decode::UnpackBudget budget{{}};
  decode::ArchiveReader reader(format, pieces, "x", budget);
  for (auto entry = reader.next(); entry && *entry; entry = reader.next()) {
    for (auto piece = reader.content().next(); piece && !piece->empty();) {
      piece = reader.content().next();
    }
  }
}

void unpack(decode::Compression compression, const std::string& content) {
  testing::Pieces pieces(content, 4096);
  decode::UnpackBudget budget{{}};
  const auto stream = decode::decompressed(compression, pieces, "x", budget);
  for (auto piece = stream->next(); piece && !piece->empty();) piece = stream->next();
}

/// Uses a filter that always runs a program.
void unpack_by_lrzip(const std::string& content) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                      &archive_read_free);
  REQUIRE(archive_read_support_filter_lrzip(reader.get()) == ARCHIVE_WARN);
  archive_read_support_format_raw(reader.get());
  archive_entry* header = nullptr;
  REQUIRE(archive_read_open_memory(reader.get(), content.data(), content.size()) == ARCHIVE_OK);
  REQUIRE(archive_read_next_header(reader.get(), &header) == ARCHIVE_OK);
  archive_read_data_skip(reader.get());
}

/// The magic bytes of each of libarchive's filters.
constexpr std::array magics = {"\x1f\x8b\x08\0"sv,
                               "\x1f\x9d\x90"sv,
                               "BZh91AY&SY"sv,
                               "\x28\xb5\x2f\xfd"sv,
                               "\xfd"
                               "7zXZ\0"sv,
                               "\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                               "LZIP\x01\x0c"sv,
                               "\x04\x22\x4d\x18"sv,
                               "\x89LZO\0\x0d\x0a\x1a\x0a"sv,
                               "LRZI\0\x06"sv,
                               "GRZipII\0\x02\x04:)"sv,
                               "\xed\xab\xee\xdb\x03\0"sv,
                               "begin 644 x\n"sv};

}  // namespace

TEST_CASE("no archive and no compressed file starts a program", "[decode][archive]") {
  const WatchedPrograms programs;
  const std::string tar = testing::tar({{"a.json", std::string(100000, 'a')}});
  read_as(decode::ArchiveFormat::Tar, tar);
  const std::string zip = testing::zip({{"a.json", std::string(100000, 'a')}});
  read_as(decode::ArchiveFormat::Zip, zip);
  std::vector<std::string> contents = {testing::gzip(tar), testing::xz(tar), testing::zstd(tar),
                                       testing::bzip2(tar), testing::lz4(tar)};
  for (const std::string_view magic : magics) {
    contents.push_back(std::string(magic) + std::string(100000, '\0'));
    contents.push_back(std::string(magic) + tar);
    contents.push_back(std::string(magic) + zip);
  }
  for (const std::string& content : contents) {
    CAPTURE(content.substr(0, 4));
    read_as(decode::ArchiveFormat::Tar, content);
    read_as(decode::ArchiveFormat::Zip, content);
    CHECK_FALSE(programs.started());
    if (const auto compression = decode::compression_of(content)) unpack(*compression, content);
    CHECK_FALSE(programs.started());
  }
}

TEST_CASE("a program that libarchive starts is noticed", "[decode][archive]") {
  const WatchedPrograms programs;
  unpack_by_lrzip(std::string("LRZI\0\x06"sv) + std::string(100, '\0'));
  CHECK(programs.started());
}
