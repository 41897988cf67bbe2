#pragma once

#include <string_view>

namespace dsdoctor::base {

/// `*` stands for any characters, none included; every other character for itself. In time that
/// grows with the product of the lengths at worst.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text);

}  // namespace dsdoctor::base
