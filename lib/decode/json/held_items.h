// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// Stores items of a list until the fields after the list are known, with little overhead.
class HeldItems {
 public:
  using Read = std::function<base::Status(std::string_view json, std::size_t index)>;

  /// REQUIRES: `index` is larger than that of the previous item.
  void add(std::string_view json, std::size_t index);
  [[nodiscard]] std::size_t items() const { return items_; }

  /// Passes all items to `read` in order, and frees them on the way. `json` is followed by
  /// `json_padding` readable bytes. Stops at the first error and returns it.
  [[nodiscard]] base::Status take(const Read& read);

 private:
  std::deque<std::string> pieces_;  // for each item: difference of indexes, size, bytes
  std::size_t items_ = 0;
  std::size_t last_ = 0;  // index
};

}  // namespace dsdoctor::decode
