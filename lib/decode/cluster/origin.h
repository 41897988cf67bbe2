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

}  // namespace dsdoctor::decode
