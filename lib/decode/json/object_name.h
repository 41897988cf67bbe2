// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::decode {

struct ObjectName {
  std::string ns;
  std::string name;
};

/// The name of an object that could not be decoded; empty if it has none. REQUIRES: `json_padding`
/// readable bytes after `json`.
[[nodiscard]] ObjectName named_in(std::string_view json);

}  // namespace dsdoctor::decode
