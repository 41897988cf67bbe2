#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dsdoctor::decode {

/// Says where and why `text[start, end)` is no JSON value: "nodes.json:5:3", and a sentence that
/// names the field around the place. To be asked when a faster parser has refused it; `refusal` is
/// what to say should this one find nothing wrong.
[[nodiscard]] base::Error json_syntax_error(std::string_view text, std::size_t start,
                                            std::size_t end, std::string_view file,
                                            std::string_view refusal);

/// Of an item of a list, by the first character of its JSON: "items[1] is a string; expected an
/// object".
[[nodiscard]] std::string item_is_not_an_object(std::size_t item, char first);

}  // namespace dsdoctor::decode
