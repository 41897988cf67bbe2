// SPDX-License-Identifier: Apache-2.0

// The client's edge cases have numbers, 1 to 150. A test that covers one carries the tag `[row N]`;
// this table lists those that no test can cover, and why. The test below checks that each number is
// in exactly one of the two.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

const std::map<int, std::string> not_applicable = {};

// Rows 108 to 129 are about lists and their encodings: their tests are beside the decoders
// (lib/decode) and in list_test.cpp, named after the data that they decode.
bool is_about_decoding(int row) { return row >= 108 && row <= 129; }

std::set<int> tagged_rows() {
  namespace fs = std::filesystem;
  static const std::regex tag(R"(\[row (\d+)\])");
  std::set<int> rows;
  for (const char* folder : {"lib", "cmd"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(DSDOCTOR_ROOT) / folder)) {
      if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at) {
        rows.insert(std::stoi((*at)[1]));
      }
    }
  }
  return rows;
}

TEST_CASE("every numbered edge case has a test or a reason", "[edge_cases]") {
  const std::set<int> tagged = tagged_rows();
  for (int row = 1; row <= 150; ++row) {
    CAPTURE(row);
    if (is_about_decoding(row)) continue;
    CHECK(tagged.contains(row) != not_applicable.contains(row));
  }
}

}  // namespace
