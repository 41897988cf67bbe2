// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace dsdoctor::cmd {

/// In UTF-8. On Windows names are converted to upper case, because `Path` is PATH there.
[[nodiscard]] std::map<std::string, std::string, std::less<>> environment_variables();

/// The path that we were called with, with slashes and without the `.exe` of Windows.
[[nodiscard]] std::string name_of_program(const char* argv0);

enum class Stream { In, Out, Err };
/// Reports whether the stream is a console or a terminal; on Windows not a pipe of MSYS.
[[nodiscard]] bool is_terminal(Stream stream);
/// Both 0 if it is not a terminal, or if its size is unknown.
struct TerminalSize {
  std::size_t columns = 0;
  std::size_t rows = 0;
};
[[nodiscard]] TerminalSize terminal_size(Stream stream);

}  // namespace dsdoctor::cmd
