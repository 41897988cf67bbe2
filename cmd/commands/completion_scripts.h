// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The scripts of completions/, embedded at build time.
namespace dsdoctor::cmd {

[[nodiscard]] std::string_view bash_completion();
[[nodiscard]] std::string_view zsh_completion();
[[nodiscard]] std::string_view fish_completion();
/// The helper with which kubectl completes `kubectl dsdoctor`.
[[nodiscard]] std::string_view kubectl_completion();

}  // namespace dsdoctor::cmd
