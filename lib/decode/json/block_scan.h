// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsdoctor::decode {

/// The state of a scan over JSON: whether a string is open, and how many brackets.
struct ScanState {
  int depth = 0;
  bool in_string = false;
  bool escaped = false;  // the next byte of the string follows a backslash

  friend bool operator==(const ScanState&, const ScanState&) = default;
};

/// Skips blocks of 64 bytes while `depth` stays above `end_depth` and below `most_depth` in the
/// whole block, and no backslash is outside of strings. Returns the end of the skipped blocks and
/// updates `state`; scan byte by byte from there. Returns `at` if the processor lacks the needed
/// instructions.
[[nodiscard]] const char* skip_blocks(const char* at, const char* end, int end_depth,
                                      int most_depth, ScanState& state);

}  // namespace dsdoctor::decode
