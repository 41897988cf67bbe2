// SPDX-License-Identifier: Apache-2.0
#include "redaction/near_names.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "redaction/well_known.h"

using namespace dsdoctor;
using redaction::likeness;
using redaction::Likeness;
using Names = std::set<std::string>;

namespace {

std::optional<std::string> listed_stay(const std::string& name) {
  std::string word;
  for (const char c : name + "-") {
    if (c != '-' && c != '_' && c != '.') {
      word += c;
    } else if (!redaction::is_common(word)) {
      return std::nullopt;
    } else {
      word.clear();
    }
  }
  return name;
}

std::map<std::string, std::string> replaced(const Names& names) {
  std::map<std::string, std::string> result;
  for (const auto& [name, replacement] : redaction::near_names(names, {}, listed_stay)) {
    result[name] = replacement;
  }
  return result;
}

}  // namespace

TEST_CASE("nearly equal names stay nearly equal", "[redaction]") {
  CHECK(replaced({"mount-type", "mounttype"}).at("mounttype") == "mount_type");
  CHECK(replaced({"worker", "zworker"}).at("zworker") == "workezr");
  const auto swapped = replaced({"zqlabel", "zqlbael"});
  CHECK(likeness(swapped.at("zqlabel"), swapped.at("zqlbael")).typed);
  CHECK(replaced({"zqlabel", "zqlabels"}).empty());
  CHECK(replaced({"zqLabel", "zqlabel"}).at("zqLabel") == "anonbbbb");
  const auto numbered = replaced({"zq7-a", "zq7a"});
  REQUIRE(numbered.size() == 2);
  CHECK(likeness(numbered.at("zq7-a"), numbered.at("zq7a")).spelled);
  CHECK(replaced({"zqgpunode", "zqgpunoode"}).at("zqgpunode") == "anonbbbbgpu");
  CHECK(replaced({"zqalone", "zqother", "", std::string(80, 'z')}).empty());
}

TEST_CASE("replacements are as similar as the names and contain none of them", "[redaction]") {
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const std::vector<std::string> stems = {"zqteam", "worker",    "mount-type", "zqgpupool",
                                          "zq7-zz", "zqaa.zqbb", "ZqCamel",    "zqcost"};
  std::size_t related = 0;
  std::size_t lost = 0;
  for (int round = 0; round < 300; ++round) {
    Names names;
    while (names.size() < 8) {
      std::string name = stems[below(stems.size())];
      for (std::size_t slips = below(3); slips > 0; --slips) {
        const std::size_t at = 1 + below(name.size() - 1);
        const char letter = "abz-_.AZ"[below(8)];
        switch (below(3)) {
          case 0: name.insert(at, 1, letter); break;
          case 1: name[at] = letter; break;
          default: name.erase(at, 1); break;
        }
      }
      if (name.size() > 1) names.insert(name);
    }
    auto after = replaced(names);
    std::set<std::string> used;
    for (const auto& [name, replacement] : after) {
      CAPTURE(name, replacement);
      CHECK_FALSE(names.contains(replacement));
      CHECK(used.insert(replacement).second);
      CHECK(redaction::telling_parts(replacement) == redaction::telling_parts(name));
    }
    for (const std::string& a : names) {
      for (const std::string& b : names) {
        const Likeness like = likeness(a, b);
        const bool known =
            (after.contains(a) || listed_stay(a)) && (after.contains(b) || listed_stay(b));
        if (like != Likeness{}) ++(known ? related : lost);
        if (!known) continue;
        const std::string& a_after = after.contains(a) ? after[a] : a;
        const std::string& b_after = after.contains(b) ? after[b] : b;
        CAPTURE(a, b, a_after, b_after);
        CHECK(likeness(a_after, b_after) == like);
      }
    }
  }
  CHECK(related > 400);
  CHECK(lost * 20 < related);
}

TEST_CASE("ten thousand names are compared quickly", "[redaction]") {
  Names names;
  for (int i = 0; i < 10'000; ++i) {
    std::string name = "zq";
    for (int rest = i, letter = 0; letter < 6; ++letter, rest /= 8) {
      name += static_cast<char>('a' + rest % 8);
    }
    names.insert(name);
  }
  CHECK(replaced(names).size() <= names.size());
}
