// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <streambuf>
#include <string_view>

namespace dsdoctor::decode {

/// Limits how far yaml-cpp reads ahead. It keeps every part of a collection in brackets, at a
/// hundred times its size, until it knows whether the collection is a key. Counts the parts that
/// were read but not yet passed on.
class YamlSource final : public std::streambuf {
 public:
  /// Indicators and characters next to them, even in strings. An object of the API has fewer, even
  /// with JSON in a string.
  static constexpr std::size_t most_ahead = 100'000;

  /// Thrown when the limit is exceeded.
  struct TooFarAhead {
    std::size_t from;  // offset of the first part that was not passed on
  };

  /// `text` must outlive this.
  explicit YamlSource(std::string_view text);

  /// Call when everything before `offset` was passed on.
  void passed(std::size_t offset);

 protected:
  std::streamsize xsgetn(char* into, std::streamsize most) override;

 private:
  struct Piece {
    std::size_t end = 0;  // offset
    std::size_t signs = 0;
  };

  std::string_view text_;
  std::array<char, 16> opening_{};  // yaml-cpp reads these byte by byte and puts them back
  std::size_t at_ = 0;
  std::size_t passed_ = 0;
  std::deque<Piece> pieces_;  // read, but not passed on
  std::size_t ahead_ = 0;     // signs in them
};

}  // namespace dsdoctor::decode
