// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dsdoctor::decode {

/// The source of a piece of input, for messages: the name of a file or the path of a URL.
struct Origin {
  std::string name;
  std::optional<std::size_t> item = std::nullopt;  // index in a list
};

/// The number of oddities of one sort.
struct Tally {
  std::size_t count = 0;
  std::string first;  // the input with the first of them

  void add(std::size_t more, const Origin& origin) {
    if (count == 0 && more > 0) first = origin.name;
    count += more;
  }
};

}  // namespace dsdoctor::decode
