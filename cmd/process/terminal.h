#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace dsdoctor::cmd {

/// In UTF-8. On Windows names are in upper case, since there `Path` is PATH.
[[nodiscard]] std::map<std::string, std::string, std::less<>> environment_variables();

/// How we were called, in slashes and without the `.exe` of Windows.
[[nodiscard]] std::string name_of_program(const char* argv0);

enum class Stream { In, Out, Err };
/// A console or a terminal; on Windows not what MSYS makes of a pipe.
[[nodiscard]] bool is_terminal(Stream stream);
/// Columns; 0 when it is no terminal.
[[nodiscard]] std::size_t terminal_width(Stream stream);

}  // namespace dsdoctor::cmd
