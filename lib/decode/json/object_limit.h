// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dsdoctor::decode {

/// Counts objects. A cluster of a million pods is below the limit; a few kilobytes of compressed
/// data can contain more objects than fit into memory.
class ObjectLimit {
 public:
  static constexpr std::size_t usual = 4'000'000;
  explicit ObjectLimit(std::size_t most = usual) : most_(most) {}

  /// Counts an object. Errors: Malformed for each object beyond the limit.
  [[nodiscard]] base::Status count(const std::string& input) {
    if (++objects_ <= most_) return std::monostate{};
    return base::Error{base::ErrorKind::Malformed, input,
                       fmt::format("more than {} objects, which is the limit", most_)};
  }

 private:
  std::size_t most_;
  std::size_t objects_ = 0;
};

}  // namespace dsdoctor::decode
