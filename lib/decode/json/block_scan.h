#pragma once

#include <cstddef>
#include <cstdint>

namespace dsdoctor::decode {

/// Where a scan over JSON stands: which strings and brackets are open.
struct ScanState {
  int depth = 0;
  bool in_string = false;
  bool escaped = false;  // the next byte, of a string, stands behind a backslash

  friend bool operator==(const ScanState&, const ScanState&) = default;
};

/// Passes over blocks of 64 bytes for as long as `depth` stays above `end_depth` and below
/// `most_depth` in all of a block, and no backslash is outside of strings. Returns where it
/// stopped, `state` as of there: what follows is to be looked at byte by byte. Where the processor
/// has no instructions for it, that is `at`.
[[nodiscard]] const char* skip_blocks(const char* at, const char* end, int end_depth,
                                      int most_depth, ScanState& state);

}  // namespace dsdoctor::decode
