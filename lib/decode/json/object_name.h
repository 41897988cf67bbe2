#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::decode {

struct ObjectName {
  std::string ns;
  std::string name;
};

/// Of an object that could not be decoded; empty where it has none. REQUIRES: `json_padding`
/// readable bytes behind `json`.
[[nodiscard]] ObjectName named_in(std::string_view json);

}  // namespace dsdoctor::decode
