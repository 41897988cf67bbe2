// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

#include "process/terminal.h"

extern char** environ;  // macOS declares it in no header

namespace dsdoctor::cmd {
namespace {

int descriptor_of(Stream stream) {
  switch (stream) {
    case Stream::In: return STDIN_FILENO;
    case Stream::Out: return STDOUT_FILENO;
    case Stream::Err: break;
  }
  return STDERR_FILENO;
}

}  // namespace

std::map<std::string, std::string, std::less<>> environment_variables() {
  std::map<std::string, std::string, std::less<>> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::string name_of_program(const char* argv0) { return argv0; }

bool is_terminal(Stream stream) { return ::isatty(descriptor_of(stream)) != 0; }

TerminalSize terminal_size(Stream stream) {
  winsize size{};
  if (!is_terminal(stream)) return {};
  if (::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0) return {};  // NOLINT(*-vararg)
  return {size.ws_col, size.ws_row};
}

}  // namespace dsdoctor::cmd
