// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/tar_reader.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "testing/packing.h"

using namespace dsdoctor;
using testing::EntryType;

namespace {

/// "path=content" for each readable entry, "!path" for each other entry, "error: ...".
std::vector<std::string> listed(const std::string& archive, std::size_t piece = 100000,
                                const decode::UnpackLimits& limits = {}) {
  testing::Pieces pieces(archive, piece);
  decode::UnpackBudget budget(limits);
  decode::TarReader reader(pieces, "x.tar", budget);
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
    for (;;) {
      const auto next = reader.content().next();
      if (!next || next->empty()) break;
      content += *next;
    }
    CHECK(content.size() <= (*entry)->bytes);
    result.push_back((*entry)->path + "=" + content);
  }
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("entries are read from every tar format", "[decode][tar]") {
  const auto format = GENERATE(as<std::string>{}, "ustar", "pax", "gnutar");
  const std::string deep = "must-gather/" + std::string(60, 'd') + "/" + std::string(90, 'f');
  const std::string archive =
      testing::tar({{"./a.json", "{}"}, {deep, std::string(3000, 'x')}, {"empty", ""}}, format);
  CHECK(decode::is_tar(archive));
  for (const std::size_t piece : {std::size_t{100000}, std::size_t{512}, std::size_t{13}}) {
    CHECK(listed(archive, piece) ==
          Words{"a.json={}", deep + "=" + std::string(3000, 'x'), "empty="});
  }
}

TEST_CASE("names may be long and may have UTF-8", "[decode][tar]") {
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

TEST_CASE("links and devices and paths that lead outside have no content", "[decode][tar]") {
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
          "[decode][tar]") {
  const std::string archive =
      testing::tar({{"a.json", std::string(700, 'a')}, {"b.json", std::string(100, 'b')}}, "ustar");
  const std::size_t entries = 512 + 1024 + 512 + 512;
  for (std::size_t size = 1024; size <= entries; size += 128) {
    const auto got = listed(archive.substr(0, size));
    CAPTURE(size, got);
    const std::string entry = size > 512 + 1024 + 512 ? "b.json" : "a.json";
    CHECK(
        got.back().starts_with("error: x.tar: the tar archive is cut off, in or after the entry "));
    if (size % 512 == 0) CHECK(got.back().find(".json") != std::string::npos);
  }
  CHECK(listed(archive.substr(0, entries + 512)).size() == 2);
}

TEST_CASE("a damaged header ends the archive with an error", "[decode][tar]") {
  std::string archive = testing::tar({{"a.json", "{}"}, {"b.json", "{}"}}, "ustar");
  archive[1024 + 10] = 'X';
  CHECK(
      listed(archive) ==
      Words{"a.json={}", "error: x.tar: the tar archive is damaged, in or after the entry a.json"});
}

TEST_CASE("entries are limited", "[decode][tar]") {
  decode::UnpackLimits limits;
  limits.entries = 1;
  CHECK(listed(testing::tar({{"a", ""}, {"b", ""}}), 1000, limits).back() ==
        "error: x.tar: the archive has more than 1 entries, which is the limit, in or after the "
        "entry a");
}
