// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "commands/commands.h"
#include "process/process_setup.h"
#include "process/program_name.h"
#include "process/terminal.h"
#include "question/context.h"

namespace {

namespace cmd = dsdoctor::cmd;

dsdoctor::kube::Environment environment() {
  dsdoctor::kube::Environment result;
  result.variables = cmd::environment_variables();
  std::error_code ignored;  // if the working directory is deleted, relative paths fail later
  result.working_directory = std::filesystem::current_path(ignored).string();
  result.stdin_is_terminal = cmd::is_terminal(cmd::Stream::In);
  return result;
}

dsdoctor::model::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

cmd::Console console() {
  return {.enter = cmd::enter_screen,
          .leave = cmd::leave_screen,
          .size =
              [] {
                const cmd::TerminalSize size = cmd::terminal_size(cmd::Stream::Out);
                return cmd::Console::Size{size.columns, size.rows};
              },
          .keys =
              [](std::chrono::milliseconds at_most) {
                return cmd::pressed_keys(static_cast<int>(at_most.count()));
              },
          .was_lost = cmd::take_screen_lost};
}

/// Repeats the write to get its errno: that of the first attempt may be lost.
std::string why_writing_fails() {
  std::cout.clear();
  errno = 0;
  std::cout << '\n' << std::flush;
  return errno == 0 ? "the output is incomplete" : std::generic_category().message(errno);
}

}  // namespace

int main(int argc, char** argv) {
  cmd::set_up_process();
  try {
    // C's streams are not used here, and synchronization with them needs memory.
    std::ios::sync_with_stdio(false);
    const std::string called_as = cmd::name_of_program(argc > 0 ? argv[0] : "");
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::ostream nowhere(nullptr);
    const bool completing = cmd::is_completion_helper(called_as);
    if (completing) words.insert(words.begin(), "__complete");
    const cmd::TerminalSize size = cmd::terminal_size(cmd::Stream::Out);
    cmd::Context ctx{.out = std::cout,
                     .err = completing ? nowhere : std::cerr,
                     .in = std::cin,
                     .environment = environment(),
                     .program = cmd::program_name(called_as),
                     .out_is_terminal = cmd::is_terminal(cmd::Stream::Out),
                     .err_is_terminal = cmd::is_terminal(cmd::Stream::Err),
                     .terminal_width = size.columns,
                     .terminal_rows = size.rows,
                     .err_width = cmd::terminal_size(cmd::Stream::Err).columns,
                     .now = now,
                     .console = console(),
                     .is_out_closed = cmd::is_stdout_closed};
    const cmd::ExitCode code = cmd::run(words, ctx);
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "error: writing the answer failed: " << why_writing_fails() << "\n";
      return static_cast<int>(cmd::ExitCode::Failed);
    }
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);  // C++ streams are perhaps not initialized
  } catch (const std::exception& error) {
    std::cerr << "error: internal: " << error.what() << "\n";
  } catch (...) {
    std::cerr << "error: internal: unknown exception\n";
  }
  return static_cast<int>(cmd::ExitCode::Failed);
}
