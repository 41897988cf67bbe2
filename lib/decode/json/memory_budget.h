// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dsdoctor::decode {

/// Limits the memory for data from files in proportion to their size. Counts objects, list elements
/// and texts, which are nearly all of it. There is no limit without files, as for an API server.
class MemoryBudget {
 public:
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

  /// Adds the size of a file on disk.
  void given(std::size_t bytes) {
    limited_ = true;
    given_ += bytes;
  }
  /// Call for a compressed file: its content is larger than its size.
  void packed() { packed_ = true; }
  [[nodiscard]] bool is_packed() const { return packed_; }

  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  void set_kept(std::uint64_t bytes) { kept_ = bytes; }
  void keep(std::uint64_t bytes) { kept_ += bytes; }
  /// Sets the total of all texts, which their pool counts.
  void keep_texts(std::uint64_t bytes) { texts_ = bytes; }

  /// The same for the pool of another thread.
  void keep_other_texts(std::uint64_t bytes) { other_texts_ = std::max(other_texts_, bytes); }

  /// Small files of small objects need the most memory in proportion to their size. The factors
  /// leave room for large files of terse objects.
  [[nodiscard]] std::uint64_t most() const {
    constexpr std::uint64_t small = 16 * mebibyte;
    const std::uint64_t beyond = given_ - std::min(given_, small);
    return packed_ ? 192 * mebibyte + 20 * given_ : 40 * mebibyte + 4 * given_ + 12 * beyond;
  }
  /// Everything kept from here on belongs to one object.
  void begin_object() { object_start_ = kept_; }
  /// Reports whether the object takes more memory than fifty large ones: it is crafted to exhaust
  /// memory.
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
