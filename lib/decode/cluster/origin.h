#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dsdoctor::decode {

/// Where a piece of input came from, for messages: a file's name or a URL's path.
struct Origin {
  std::string name;
  std::optional<std::size_t> item = std::nullopt;  // index in a list
};

}  // namespace dsdoctor::decode
