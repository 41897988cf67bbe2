#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <streambuf>
#include <string_view>

namespace dsdoctor::decode {

/// A YAML text as yaml-cpp reads it, which holds every part of a collection in brackets until it
/// knows whether the collection is a key: a hundred times what the part has of bytes. Counts those
/// parts ahead of what was made of them.
class YamlSource final : public std::streambuf {
 public:
  /// Signs that are an indicator or stand beside one, and may belong to texts. An object of the API
  /// has less, a text of JSON in it included.
  static constexpr std::size_t most_ahead = 100'000;

  /// Thrown to whoever reads on.
  struct TooFarAhead {
    std::size_t from;  // offset of what is not known yet
  };

  /// `text` must outlive this.
  explicit YamlSource(std::string_view text);

  /// Everything before this offset was handed on.
  void passed(std::size_t offset);

 protected:
  std::streamsize xsgetn(char* into, std::streamsize most) override;

 private:
  struct Piece {
    std::size_t end = 0;  // offset
    std::size_t signs = 0;
  };

  std::string_view text_;
  std::array<char, 16> opening_{};  // which yaml-cpp looks at byte by byte, and puts back
  std::size_t at_ = 0;
  std::size_t passed_ = 0;
  std::deque<Piece> pieces_;  // that were read, and not passed
  std::size_t ahead_ = 0;     // signs in them
};

}  // namespace dsdoctor::decode
