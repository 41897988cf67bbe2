// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/archive_reader.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "testing/gzip_file.h"
#include "testing/packing.h"

using namespace dsdoctor;
using testing::EntryType;

namespace {

/// "path=content" for each readable entry, "!path" for each other entry, "error: ..." for each
/// that cannot be read, and for the archive.
std::vector<std::string> listed(const std::string& archive, std::size_t piece = 100000,
                                const decode::UnpackLimits& limits = {}) {
  testing::Pieces pieces(archive, piece);
  decode::UnpackBudget budget(limits);
  const auto format = decode::archive_format_of(archive);
  REQUIRE(format);
  decode::ArchiveReader reader(*format, pieces, "x", budget);
  std::vector<std::string> result;
  for (;;) {
    const auto entry = reader.next();
    if (!entry) {
      result.push_back("error: " + base::to_string(entry.error()));
      return result;
    }
    if (!*entry) return result;
    if (!(*entry)->readable) {
      result.push_back("!" + (*entry)->path);
      continue;
    }
    std::string content;
    auto next = reader.content().next();
    for (; next && !next->empty(); next = reader.content().next()) content += *next;
    if (!next) {
      result.push_back("error: " + base::to_string(next.error()));
      continue;
    }
    if (format == decode::ArchiveFormat::Tar) CHECK(content.size() <= (*entry)->bytes);
    result.push_back((*entry)->path + "=" + content);
  }
}

using Words = std::vector<std::string>;

std::string archive_error(const std::string& archive, const decode::UnpackLimits& limits = {}) {
  return listed(archive, 100000, limits).back();
}

std::string fixture(const std::string& name) {
  return testing::read_file(DSDOCTOR_TESTDATA "/archives/" + name);
}

}  // namespace

TEST_CASE("entries are read from every tar format", "[decode][archive]") {
  const auto format = GENERATE(as<std::string>{}, "ustar", "pax", "gnutar");
  const std::string deep = "must-gather/" + std::string(60, 'd') + "/" + std::string(90, 'f');
  const std::string archive =
      testing::tar({{"./a.json", "{}"}, {deep, std::string(3000, 'x')}, {"empty", ""}}, format);
  CHECK(decode::archive_format_of(archive) == decode::ArchiveFormat::Tar);
  for (const std::size_t piece : {std::size_t{100000}, std::size_t{512}, std::size_t{13}}) {
    CHECK(listed(archive, piece) ==
          Words{"a.json={}", deep + "=" + std::string(3000, 'x'), "empty="});
  }
}

TEST_CASE("names may be long and may have UTF-8", "[decode][archive]") {
  const std::string name = std::string(300, 'n') + "/knoten-\xc3\xa4-\xe6\x97\xa5.json";
  CHECK(listed(testing::tar({{name, "{}"}}, "gnutar")) == Words{name + "={}"});

  // Go and Python write an entry of type x before the file's, with the name in a record.
  std::string record = fmt::format(" path={}\n", name);
  record = fmt::format("{}{}", record.size() + 3, record);
  std::string pax = testing::tar({{"header", record}, {"x", "{}"}}, "ustar");
  pax[156] = 'x';
  unsigned sum = 8 * ' ';  // the checksum counts as blanks
  for (std::size_t i = 0; i < 512; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(pax[i]);
  }
  pax.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  CHECK(listed(pax) == Words{name + "={}"});
}

TEST_CASE("links and devices and paths that lead outside have no content", "[decode][archive]") {
  CHECK(listed(testing::tar({{"../up.json", "{}"},
                             {"/etc/passwd.json", "{}"},
                             {"a/../../b.json", "{}"},
                             {"link.json", "/etc/passwd", EntryType::SymbolicLink},
                             {"hard.json", "a.json", EntryType::HardLink},
                             {"device.json", "", EntryType::Device},
                             {"pipe.json", "", EntryType::Pipe},
                             {"folder", "", EntryType::Folder},
                             {"a..b/c.json", "{}"}})) ==
        Words{"!../up.json", "!/etc/passwd.json", "!a/../../b.json", "!link.json", "!hard.json",
              "!device.json", "!pipe.json", "!folder", "a..b/c.json={}"});
}

TEST_CASE("an archive that is truncated anywhere is rejected with the name of the entry",
          "[decode][archive]") {
  const std::string archive =
      testing::tar({{"a.json", std::string(700, 'a')}, {"b.json", std::string(100, 'b')}}, "ustar");
  const std::size_t entries = 512 + 1024 + 512 + 512;
  for (std::size_t size = 1024; size <= entries; size += 128) {
    const auto got = listed(archive.substr(0, size));
    CAPTURE(size, got);
    const std::string entry = size > 512 + 1024 + 512 ? "b.json" : "a.json";
    CHECK(got.back().starts_with("error: x: the tar archive is cut off, in or after the entry "));
    if (size % 512 == 0) CHECK(got.back().find(".json") != std::string::npos);
  }
  CHECK(listed(archive.substr(0, entries + 512)).size() == 2);
}

TEST_CASE("a damaged header ends the archive with an error", "[decode][archive]") {
  std::string archive = testing::tar({{"a.json", "{}"}, {"b.json", "{}"}}, "ustar");
  archive[1024 + 10] = 'X';
  CHECK(listed(archive) ==
        Words{"a.json={}", "error: x: the tar archive is damaged, in or after the entry a.json"});
}

TEST_CASE("entries are limited", "[decode][archive]") {
  decode::UnpackLimits limits;
  limits.entries = 1;
  CHECK(listed(testing::tar({{"a", ""}, {"b", ""}}), 1000, limits).back() ==
        "error: x: the archive has more than 1 entries, which is the limit, in or after the "
        "entry a");
}

TEST_CASE("entries are read from zip archives of every kind", "[decode][archive]") {
  using testing::ZipStyle;
  const auto style = GENERATE(ZipStyle::Deflated, ZipStyle::DeflatedInStream, ZipStyle::Stored,
                              ZipStyle::StoredInStream);
  // bytes that look like the end of an entry, and like the next one
  const std::string marks = "PK\x07\x08PK\x03\x04PK\x01\x02";
  const std::string archive = testing::zip({{"d", "", EntryType::Folder},
                                            {"./a.json", "{}"},
                                            {"d/marks", marks},
                                            {"d/empty", ""},
                                            {"d/long", std::string(300000, 'x')}},
                                           style);
  CHECK(decode::archive_format_of(archive) == decode::ArchiveFormat::Zip);
  for (const std::size_t piece : {std::size_t{1} << 20U, std::size_t{512}, std::size_t{13}}) {
    CHECK(listed(archive, piece) == Words{"!d", "a.json={}", "d/marks=" + marks,
                                          "d/empty=", "d/long=" + std::string(300000, 'x')});
  }
  CHECK(listed(testing::zip({}, style)).empty());
}

TEST_CASE("archives that other programs wrote are read", "[decode][archive]") {
  const auto name =
      GENERATE(as<std::string>{}, "info-zip.zip", "info-zip-stream.zip", "go.zip", "python.zip");
  CAPTURE(name);
  Words files;
  for (std::string& entry : listed(fixture(name), 64)) {
    // only the directory says that it is a link
    if (!entry.starts_with("!") && !entry.starts_with("bundle/link.json")) files.push_back(entry);
  }
  std::ranges::sort(files);
  const auto node = [](const std::string& of) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + of + "\"}}\n";
  };
  CHECK(files == Words{"bundle/a.json=" + node("a"),
                       "bundle/gr\xc3\xb6\xc3\x9f"
                       "e/b.json=" +
                           node("b"),
                       "bundle/pods.log=PK\x07\x08 no zip\n"});
}

TEST_CASE("the directory of a zip archive says which entries are links", "[decode][archive]") {
  const std::string archive =
      testing::zip({{"a.json", "{}"}, {"./b.json", "a.json", EntryType::SymbolicLink}});
  testing::Pieces pieces(archive, 100);
  decode::UnpackBudget budget({});
  decode::ArchiveReader reader(decode::ArchiveFormat::Zip, pieces, "x", budget);
  for (auto entry = reader.next(); entry && *entry;) entry = reader.next();
  CHECK_FALSE(reader.is_link("a.json"));
  CHECK(reader.is_link("b.json"));
}

TEST_CASE("paths of a zip archive that lead outside have no content", "[decode][archive]") {
  CHECK(listed(testing::zip({{"../up.json", "{}"},
                             {"..\\up.json", "{}"},
                             {"/etc/passwd.json", "{}"},
                             {"a\\b.json", "{}"},
                             {"a..b/c.json", "{}"}})) ==
        Words{"!../up.json", "!../up.json", "!/etc/passwd.json", "a/b.json={}", "a..b/c.json={}"});
}

TEST_CASE("a zip archive that is truncated anywhere is rejected", "[decode][archive]") {
  using testing::ZipStyle;
  const auto style = GENERATE(ZipStyle::Deflated, ZipStyle::StoredInStream);
  const std::string archive =
      testing::zip({{"a.json", std::string(700, 'a')}, {"b.json", std::string(100, 'b')}}, style);
  for (std::size_t size = 4; size < archive.size(); ++size) {
    CAPTURE(size);
    CHECK(
        archive_error(archive.substr(0, size)).starts_with("error: x: the zip archive is cut off"));
  }
}

TEST_CASE("damage of a zip archive is never accepted", "[decode][archive]") {
  const std::string content = "{\"kind\":\"Node\"}";
  const std::string archive = testing::zip({{"a.json", content}, {"b.json", content}});
  const Words good = listed(archive);
  for (std::size_t at = 4; at < archive.size(); ++at) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    // names, times and the directory have no checksum, but no content is lost or changed
    for (const std::string& entry : listed(damaged)) {
      CAPTURE(at, entry);
      CHECK((entry.starts_with("error: x: ") || entry.ends_with("=" + content) || entry[0] == '!'));
    }
    const bool rejected = archive_error(damaged).starts_with("error: ");
    CHECK((rejected || listed(damaged).size() == good.size()));
  }
}

TEST_CASE("a zip archive without some entries of its directory is rejected", "[decode][archive]") {
  std::string archive = testing::zip({{"a.json", "{}"}, {"b.json", "{}"}});
  archive[archive.find("PK\x03\x04", 4)] = 'X';
  CHECK(archive_error(archive) ==
        "error: x: the zip archive is damaged: 1 entry was found, but its directory has "
        "another number");
}

TEST_CASE("encrypted entries and unknown compressions are named", "[decode][archive]") {
  const std::string encrypted =
      "is encrypted; unpack the archive with its password, and read the folder";
  const std::string archive = testing::zip({{"a.json", "{}"}});
  const auto content_error = [](const std::string& of) {
    testing::Pieces pieces(of, 100);
    decode::UnpackBudget budget({});
    decode::ArchiveReader reader(decode::ArchiveFormat::Zip, pieces, "x", budget);
    const auto entry = reader.next();
    REQUIRE(entry);
    REQUIRE(*entry);
    CHECK((*entry)->readable);
    return base::to_string(reader.content().next().error());
  };
  CHECK(content_error(testing::marked_as_encrypted(archive)) == "x: the entry a.json " + encrypted);
  CHECK(content_error(fixture("encrypted.zip")) == "x: the entry bundle/a.json " + encrypted);
  std::string unknown = archive;
  constexpr std::size_t method = 8;
  unknown[method] = 9;
  CHECK(content_error(unknown) ==
        "x: the entry a.json has an unknown compression (9: deflation-64-bit); unpack the archive, "
        "and read the folder");
}

TEST_CASE("the unpacked size of a zip archive is limited", "[decode][archive]") {
  using testing::ZipStyle;
  decode::UnpackLimits limits;
  limits.total_bytes = std::uint64_t{1} << 20U;
  const std::string large(std::size_t{2} << 20U, ' ');
  CHECK(
      archive_error(testing::zip({{"a", large}, {"b", ""}}, ZipStyle::DeflatedInStream), limits) ==
      "error: x: unpacks to more than 1 MiB, the limit for one archive, in or after the entry a");
  // a skipped entry of unknown size is unpacked to find its end
  const std::string skipped = testing::zip({{"a", large}}, ZipStyle::DeflatedInStream);
  testing::Pieces pieces(skipped, 4096);
  decode::UnpackBudget budget(limits);
  decode::ArchiveReader reader(decode::ArchiveFormat::Zip, pieces, "x", budget);
  REQUIRE(reader.next());
  CHECK_FALSE(reader.next());
}
