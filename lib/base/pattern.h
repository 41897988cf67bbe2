#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::base {

/// A regular expression: POSIX extended syntax without back references, classes like [:alpha:] and
/// counts ({2,4} is `max_count` at most). Matches anywhere unless anchored by ^ and $. Works on
/// bytes, in time that grows with the length of pattern and text alone. Instead of std::regex,
/// which is larger than all else that knows taints.
class Pattern {
 public:
  static constexpr int max_count = 100;

  /// Errors: Malformed, without a place; `what` says what stands where.
  [[nodiscard]] static Result<Pattern> parse(std::string_view text);

  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t { Bytes, Start, End, Sequence, Choice, Repeat };
  struct Part {
    Kind kind = Kind::Sequence;
    std::bitset<256> bytes;          // Bytes: any one of these
    std::vector<std::size_t> parts;  // Sequence, Choice, Repeat (one); into parts_
    int least = 0;                   // Repeat
    int most = -1;                   // Repeat; -1: no limit
  };
  class Parser;
  using Places = std::vector<bool>;  // offsets into the text, its end included

  [[nodiscard]] Places after(std::size_t part, const Places& before, std::string_view text) const;
  [[nodiscard]] Places after_repeat(const Part& part, const Places& before,
                                    std::string_view text) const;

  std::vector<Part> parts_;
  std::size_t root_ = 0;
};

}  // namespace dsdoctor::base
