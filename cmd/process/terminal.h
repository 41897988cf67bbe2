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

/// Shows the alternate screen on stdout, and reads keys from the terminal without Enter; Ctrl-C and
/// Ctrl-Z keep their meaning. False: stdin or stdout is not a terminal, or the system has no such
/// screen. `leave_screen` restores both; so do signals that end or stop the process.
[[nodiscard]] bool enter_screen();
void leave_screen();
/// The bytes of the keys that were pressed; waits at most `milliseconds` for the first one.
[[nodiscard]] std::string pressed_keys(int milliseconds);
/// Whether the screen has to be drawn again: the process was stopped. Resets it.
[[nodiscard]] bool take_screen_lost();
/// Reports whether the reader of a pipe on stdout is gone.
[[nodiscard]] bool is_stdout_closed();
/// Restores the terminal within a signal handler: calls only what POSIX allows there.
void restore_screen_in_handler();

}  // namespace dsdoctor::cmd
