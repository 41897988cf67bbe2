#pragma once

#include <string>
#include <string_view>

namespace dsdoctor::base {

/// `text` as one word of a POSIX shell: as it is where that is safe, else in single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// `text` in single quotes, whatever it holds.
[[nodiscard]] std::string single_quoted(std::string_view text);

}  // namespace dsdoctor::base
