#pragma once

#include <string_view>

/// The scripts of completions/, embedded when the program is built.
namespace dsdoctor::cmd {

[[nodiscard]] std::string_view bash_completion();
[[nodiscard]] std::string_view zsh_completion();
[[nodiscard]] std::string_view fish_completion();
/// The helper by which kubectl completes behind `kubectl dsdoctor`.
[[nodiscard]] std::string_view kubectl_completion();

}  // namespace dsdoctor::cmd
