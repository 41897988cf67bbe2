// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsdoctor::decode {

base::Result<std::string_view> PeekedStream::opening() {
  if (looked_) return rest_;
  looked_ = true;
  auto piece = from_.next();
  if (!piece || piece->size() >= opening_bytes || piece->empty()) {
    if (piece) rest_ = *piece;
    return piece;
  }
  while (held_.size() < opening_bytes) {
    held_ += *piece;
    piece = from_.next();
    if (!piece) return piece;
    if (piece->empty()) break;
  }
  held_ += *piece;
  rest_ = held_;
  return rest_;
}

base::Result<std::string_view> PeekedStream::next() {
  if (!rest_.empty()) return std::exchange(rest_, {});
  return from_.next();
}

base::Status UnpackBudget::unpacked(std::size_t bytes, const std::string& name) {
  unpacked_ += bytes;
  const auto exceeds = [&](std::string what) {
    return base::Error{base::ErrorKind::Malformed, name, std::move(what)};
  };
  if (unpacked_ > limits_.total_bytes) {
    return exceeds(fmt::format("unpacks to more than {} MiB, the limit for one archive",
                               limits_.total_bytes >> 20U));
  }
  const std::uint64_t packed = std::max<std::uint64_t>(packed_, 1);
  if (unpacked_ > limits_.ratio_from && unpacked_ / packed >= limits_.ratio) {
    return exceeds(fmt::format("unpacks to {} times its size or more, the limit beyond {} MiB",
                               limits_.ratio, limits_.ratio_from >> 20U));
  }
  return std::monostate{};
}

}  // namespace dsdoctor::decode
