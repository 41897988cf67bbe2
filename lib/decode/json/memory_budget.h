#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dsdoctor::decode {

/// What is kept of files in memory, against what they have of bytes. Objects, elements of lists and
/// texts are counted, which is nearly all; where nothing was given, as of a server, there is no
/// limit.
class MemoryBudget {
 public:
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

  /// Bytes of a file, as it is on the disk.
  void given(std::size_t bytes) {
    limited_ = true;
    given_ += bytes;
  }
  /// Some of it is packed: it holds more than its size shows.
  void packed() { packed_ = true; }
  [[nodiscard]] bool is_packed() const { return packed_; }

  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  void set_kept(std::uint64_t bytes) { kept_ = bytes; }
  void keep(std::uint64_t bytes) { kept_ += bytes; }
  /// Texts are counted by their pool, in total.
  void keep_texts(std::uint64_t bytes) { texts_ = bytes; }

  /// Those of another thread's pool.
  void keep_other_texts(std::uint64_t bytes) { other_texts_ = std::max(other_texts_, bytes); }

  /// Small files of small objects take the most for their size; those of a cluster that fills a
  /// large file are not refused for being terse.
  [[nodiscard]] std::uint64_t most() const {
    constexpr std::uint64_t small = 16 * mebibyte;
    const std::uint64_t beyond = given_ - std::min(given_, small);
    return packed_ ? 192 * mebibyte + 20 * given_ : 40 * mebibyte + 4 * given_ + 12 * beyond;
  }
  /// What is kept from here on is of one object.
  void begin_object() { object_start_ = kept_; }
  /// It takes more than fifty large ones: a list in it was made to be long.
  [[nodiscard]] bool is_object_too_large() const {
    return limited_ && kept_ - object_start_ > most_of_one_object;
  }
  static constexpr std::uint64_t most_of_one_object = 8 * mebibyte;

  [[nodiscard]] bool is_exceeded() const {
    return limited_ && kept_ + texts_ + other_texts_ > most();
  }

 private:
  std::uint64_t given_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t object_start_ = 0;
  std::uint64_t texts_ = 0;
  std::uint64_t other_texts_ = 0;
  bool packed_ = false;
  bool limited_ = false;
};

}  // namespace dsdoctor::decode
