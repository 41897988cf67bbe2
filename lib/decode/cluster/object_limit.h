#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dsdoctor::decode {

/// Counts objects. A cluster of a million pods has less than the limit; a few kilobytes of packed
/// data may have more than any memory holds.
class ObjectLimit {
 public:
  static constexpr std::size_t usual = 4'000'000;
  explicit ObjectLimit(std::size_t most = usual) : most_(most) {}

  /// Errors: Malformed, one object beyond the limit, and from then on.
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
