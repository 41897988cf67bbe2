// SPDX-License-Identifier: Apache-2.0
#include "decode/json/held_items.h"

#include <algorithm>

#include "decode/json/json_padding.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;
constexpr std::size_t most_of_numbers = 20;
constexpr std::size_t low_bits = 0x7f;
constexpr unsigned bits = 7;

/// Appends seven bits in each byte, the lowest first; the highest bit of a byte means that more
/// follow.
void put_number(std::string& into, std::size_t number) {
  for (; number > low_bits; number >>= bits) {
    into += static_cast<char>((number & low_bits) | (low_bits + 1));
  }
  into += static_cast<char>(number);
}

std::size_t take_number(std::string_view& from) {
  std::size_t number = 0;
  for (unsigned shift = 0;; shift += bits) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    number |= static_cast<std::size_t>(byte & low_bits) << shift;
    if (byte <= low_bits) return number;
  }
}

}  // namespace

void HeldItems::add(std::string_view json, std::size_t index) {
  const std::size_t bytes = json.size() + most_of_numbers;
  if (pieces_.empty() || pieces_.back().size() + bytes > piece_bytes) {
    pieces_.emplace_back().reserve(std::max(bytes, piece_bytes) + json_padding);
  }
  std::string& piece = pieces_.back();
  put_number(piece, index - last_);
  put_number(piece, json.size());
  piece += json;
  last_ = index;
  ++items_;
}

base::Status HeldItems::take(const Read& read) {
  std::size_t index = 0;
  for (; !pieces_.empty(); pieces_.pop_front()) {
    pieces_.front().append(json_padding, ' ');
    auto rest = std::string_view(pieces_.front());
    rest.remove_suffix(json_padding);
    while (!rest.empty()) {
      index += take_number(rest);
      const std::size_t size = take_number(rest);
      if (auto done = read(rest.substr(0, size), index); !done) return done;
      rest.remove_prefix(size);
    }
  }
  items_ = 0;
  return std::monostate{};
}

}  // namespace dsdoctor::decode
