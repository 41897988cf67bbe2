// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::base {

/// Whether `typed` may be a misspelling of `meant`: a letter is missing, added, replaced or swapped
/// with its neighbour, and four letters are the same. Values that differ only in digits or in the
/// last letter are usually different (zone-a, zone-b), and so are two common words (gpu, cpu).
/// A character that is typed twice is a misspelling in any place.
[[nodiscard]] bool is_misspelling(std::string_view typed, std::string_view meant);

}  // namespace dsdoctor::base
