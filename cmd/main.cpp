#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "commands/commands.h"
#include "line/program_name.h"
#include "process/process_setup.h"
#include "question/context.h"

namespace {

namespace cmd = dsdoctor::cmd;

dsdoctor::kube::Environment environment() {
  dsdoctor::kube::Environment result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    result.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;  // a working directory that is gone: relative paths will say so
  result.working_directory = std::filesystem::current_path(ignored).string();
  result.stdin_is_terminal = isatty(STDIN_FILENO) != 0;
  return result;
}

/// Columns; 0 when `descriptor` is no terminal.
std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0) return 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;  // NOLINT(*-vararg)
  return size.ws_col;
}

dsdoctor::model::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// What the system says of another attempt: errno of the first may be gone.
std::string why_writing_fails() {
  std::cout.clear();
  errno = 0;
  std::cout << '\n' << std::flush;
  return errno == 0 ? "the output is incomplete" : std::system_category().message(errno);
}

}  // namespace

int main(int argc, char** argv) {
  cmd::set_up_process();
  // Nothing here uses C's streams.
  std::ios::sync_with_stdio(false);
  try {
    const std::string_view called_as = argc > 0 ? argv[0] : "";
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::ostream nowhere(nullptr);
    const bool completing = cmd::is_completion_helper(called_as);
    if (completing) words.insert(words.begin(), "__complete");
    cmd::Context ctx{.out = std::cout,
                     .err = completing ? nowhere : std::cerr,
                     .in = std::cin,
                     .environment = environment(),
                     .program = cmd::program_name(called_as),
                     .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                     .err_is_terminal = isatty(STDERR_FILENO) != 0,
                     .terminal_width = terminal_width(STDOUT_FILENO),
                     .err_width = terminal_width(STDERR_FILENO),
                     .now = now};
    const cmd::ExitCode code = cmd::run(words, ctx);
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "error: writing the answer failed: " << why_writing_fails() << "\n";
      return static_cast<int>(cmd::ExitCode::Failed);
    }
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "error: internal: " << error.what() << "\n";
  } catch (...) {
    std::cerr << "error: internal: unknown exception\n";
  }
  return static_cast<int>(cmd::ExitCode::Failed);
}
