#pragma once

#include <string_view>

/// The scripts of completions/, embedded when the program is built.
namespace dsdoctor::cmd {

[[nodiscard]] std::string_view bash_completion();
[[nodiscard]] std::string_view zsh_completion();
[[nodiscard]] std::string_view fish_completion();

}  // namespace dsdoctor::cmd
