// SPDX-License-Identifier: Apache-2.0
#include "decode/json/block_scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dsdoctor::decode {

#ifdef __SSE2__
namespace {

constexpr std::size_t block_bytes = 64;

/// A bit for each byte of a block, the first one lowest.
struct Masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;   // { and [
  std::uint64_t closes = 0;  // } and ]
};

Masks masks_of(const char* block) {
  const auto same = [](__m128i bytes, char c) {
    const auto bits = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(bits));
  };
  Masks result;
  for (unsigned part = 0; part < block_bytes; part += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + part));
    // Brackets and braces differ only in this bit, and no other byte becomes a brace by setting it.
    const __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    result.quotes |= same(bytes, '"') << part;
    result.backslashes |= same(bytes, '\\') << part;
    result.opens |= same(braces, '{') << part;
    result.closes |= same(braces, '}') << part;
  }
  return result;
}

/// The bytes after a backslash that is not itself escaped. Algorithm of simdjson: a sequence of
/// backslashes of odd length escapes the next byte.
std::uint64_t escaped_in(std::uint64_t backslashes, bool& carried) {
  constexpr std::uint64_t even = 0x5555555555555555U;
  const std::uint64_t before = carried ? 1 : 0;
  backslashes &= ~before;
  const std::uint64_t behind = backslashes << 1U | before;
  const std::uint64_t odd_starts = backslashes & ~even & ~behind;
  std::uint64_t sequences = 0;
  carried = __builtin_add_overflow(odd_starts, backslashes, &sequences);
  return (even ^ (sequences << 1U)) & behind;
}

/// Sets each bit to the parity of the bits up to it: 1 from an opening quote to before the closing
/// one.
std::uint64_t parities(std::uint64_t bits) {
  for (unsigned shift = 1; shift < block_bytes; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Like std::popcount, which calls a function if the target may lack the instruction.
int count_of(std::uint64_t bits) {
  constexpr std::uint64_t pairs = 0x5555555555555555U;
  constexpr std::uint64_t fours = 0x3333333333333333U;
  constexpr std::uint64_t bytes = 0x0F0F0F0F0F0F0F0FU;
  constexpr std::uint64_t ones = 0x0101010101010101U;
  bits -= bits >> 1U & pairs;
  bits = (bits & fours) + (bits >> 2U & fours);
  bits = (bits + (bits >> 4U)) & bytes;
  return static_cast<int>(bits * ones >> 56U);
}

}  // namespace

const char* skip_blocks(const char* at, const char* end, int end_depth, int most_depth,
                        ScanState& state) {
  for (; end - at >= static_cast<std::ptrdiff_t>(block_bytes); at += block_bytes) {
    const Masks masks = masks_of(at);
    ScanState next = state;
    std::uint64_t quotes = masks.quotes;
    if (masks.backslashes != 0 || state.escaped) {
      quotes &= ~escaped_in(masks.backslashes, next.escaped);
    }
    const std::uint64_t strings = parities(quotes) ^ (state.in_string ? ~std::uint64_t{0} : 0);
    next.in_string = (strings >> (block_bytes - 1)) != 0;
    const int opened = count_of(masks.opens & ~strings);
    const int closed = count_of(masks.closes & ~strings);
    if ((masks.backslashes & ~strings) != 0) break;
    if (state.depth - closed <= end_depth || state.depth + opened >= most_depth) break;
    next.depth = state.depth + opened - closed;
    state = next;
  }
  return at;
}

#else

const char* skip_blocks(const char* at, const char* /*end*/, int /*end_depth*/, int /*most_depth*/,
                        ScanState& /*state*/) {
  return at;
}

#endif

}  // namespace dsdoctor::decode
