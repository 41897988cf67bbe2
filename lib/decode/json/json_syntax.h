// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dsdoctor::decode {

/// The position and the reason of the first error in the JSON `text[start, end)`: "nodes.json:5:3",
/// and a sentence that names the enclosing field. Call it after a faster parser has rejected the
/// text; `refusal` is the message if this parser finds no error.
[[nodiscard]] base::Error json_syntax_error(std::string_view text, std::size_t start,
                                            std::size_t end, std::string_view file,
                                            std::string_view refusal);

/// The message for an item of a list, by the first character of its JSON: "items[1] is a string;
/// expected an object".
[[nodiscard]] std::string item_is_not_an_object(std::size_t item, char first);

}  // namespace dsdoctor::decode
