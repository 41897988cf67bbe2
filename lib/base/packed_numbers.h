// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace dsdoctor::base {

/// A list of numbers below 2^32 that takes one, two or four bytes for each, as the largest
/// requires.
class PackedNumbers {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  void reserve(std::size_t numbers) { bytes_.reserve(numbers * width_); }

  [[nodiscard]] std::uint32_t operator[](std::size_t at) const {
    const std::uint8_t* from = bytes_.data() + at * width_;
    if (width_ == 1) return *from;
    if (width_ == 2) return read<std::uint16_t>(from);
    return read<std::uint32_t>(from);
  }
  void push_back(std::uint32_t number) {
    widen_for(number);
    ++size_;
    if (width_ == 1) {
      bytes_.push_back(static_cast<std::uint8_t>(number));
    } else {
      bytes_.resize(bytes_.size() + width_);
      write(size_ - 1, number);
    }
  }
  void set(std::size_t at, std::uint32_t number) {
    widen_for(number);
    write(at, number);
  }

 private:
  template <typename Number>
  static Number read(const std::uint8_t* from) {
    Number number = 0;
    std::memcpy(&number, from, sizeof number);
    return number;
  }
  template <typename Number>
  static void put(std::uint8_t* into, std::uint32_t number) {
    const auto narrow = static_cast<Number>(number);
    std::memcpy(into, &narrow, sizeof narrow);
  }
  void write(std::size_t at, std::uint32_t number) {
    std::uint8_t* into = bytes_.data() + at * width_;
    if (width_ == 1) {
      put<std::uint8_t>(into, number);
    } else if (width_ == 2) {
      put<std::uint16_t>(into, number);
    } else {
      put<std::uint32_t>(into, number);
    }
  }
  static std::size_t width_of(std::uint32_t number) {
    if (number <= std::numeric_limits<std::uint8_t>::max()) return 1;
    return number <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  }
  void widen_for(std::uint32_t number) {
    if (number > largest_) widen(width_of(number));
  }
  void widen(std::size_t width) {
    PackedNumbers wider;
    wider.width_ = width;
    wider.largest_ = std::numeric_limits<std::uint32_t>::max() >> (8 * (4 - width));
    wider.reserve(bytes_.capacity() / width_);
    for (std::size_t i = 0; i < size_; ++i) wider.push_back((*this)[i]);
    *this = std::move(wider);
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
  std::size_t width_ = 1;         // bytes of each number
  std::uint32_t largest_ = 0xff;  // number that fits into `width_` bytes
};

}  // namespace dsdoctor::base
