#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dsdoctor::decode {

/// The value of a plain scalar: null, a boolean, a number or a string.
[[nodiscard]] nlohmann::json plain_scalar(const std::string& text);

}  // namespace dsdoctor::decode
