// SPDX-License-Identifier: Apache-2.0
#include "decode/json/block_scan.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace dsdoctor;
using decode::ScanState;

namespace {

constexpr int end_depth = 2;
constexpr int most_depth = 12;

/// The state after a scan byte by byte.
ScanState scanned(std::string_view text, ScanState state) {
  for (const char c : text) {
    const bool escaped = std::exchange(state.escaped, false);
    if (c == '\\') {
      state.escaped = !escaped;
    } else if (c == '"' && !escaped) {
      state.in_string = !state.in_string;
    } else if (!state.in_string && (c == '{' || c == '[')) {
      ++state.depth;
    } else if (!state.in_string && (c == '}' || c == ']')) {
      --state.depth;
    }
  }
  return state;
}

}  // namespace

TEST_CASE("skipping blocks gives the same state as a scan byte by byte", "[decode][block_scan]") {
  constexpr std::string_view pieces = "\"\"\"\\\\{}[]{}[]:,  abcABC019\x5f\x7f\xdb\xfb\n";
  std::mt19937 random(5);
  std::size_t passed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 400, ' ');
    // Mostly plain, so that long stretches are skipped.
    for (char& c : text) c = random() % 3 == 0 ? pieces[random() % pieces.size()] : 'x';
    const bool in_string = random() % 2 == 0;
    const ScanState start{static_cast<int>(3 + random() % 8), in_string,
                          in_string && random() % 4 == 0};
    ScanState state = start;
    const char* const stop =
        decode::skip_blocks(text.data(), text.data() + text.size(), end_depth, most_depth, state);
    const std::string_view skipped(text.data(), static_cast<std::size_t>(stop - text.data()));
    passed += skipped.size();
    CAPTURE(text, skipped.size());
    REQUIRE(state == scanned(skipped, start));
    for (std::size_t i = 0; i < skipped.size(); ++i) {
      const auto [depth, within, escaped] = scanned(skipped.substr(0, i + 1), start);
      REQUIRE((within || !escaped));
      REQUIRE(depth > end_depth);
      REQUIRE(depth < most_depth);
    }
  }
#ifdef __SSE2__
  CHECK(passed > 100'000);
#endif
}
