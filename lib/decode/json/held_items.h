#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// Items of a list that wait for what follows the list, in little more than their bytes.
class HeldItems {
 public:
  using Read = std::function<base::Status(std::string_view json, std::size_t index)>;

  /// `index`: above that of the item before it.
  void add(std::string_view json, std::size_t index);
  [[nodiscard]] std::size_t items() const { return items_; }

  /// Gives all in their order, and frees them on the way. `json` is followed by `json_padding`
  /// readable bytes. An error ends it, and is what this returns.
  [[nodiscard]] base::Status take(const Read& read);

 private:
  std::deque<std::string> pieces_;  // of each item its distance to the last, its size, its bytes
  std::size_t items_ = 0;
  std::size_t last_ = 0;  // index
};

}  // namespace dsdoctor::decode
