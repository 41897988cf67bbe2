// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "kube/os/wide_windows.h"
#include "process/terminal.h"

namespace dsdoctor::cmd {
namespace {

HANDLE handle_of(Stream stream) {
  switch (stream) {
    case Stream::In: return ::GetStdHandle(STD_INPUT_HANDLE);
    case Stream::Out: return ::GetStdHandle(STD_OUTPUT_HANDLE);
    case Stream::Err: break;
  }
  return ::GetStdHandle(STD_ERROR_HANDLE);
}

}  // namespace

std::map<std::string, std::string, std::less<>> environment_variables() {
  std::map<std::string, std::string, std::less<>> result;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* at = block; at != nullptr && *at != 0;) {
    const std::wstring_view entry = at;
    at += entry.size() + 1;
    const std::size_t equals = entry.find(L'=', 1);  // cmd.exe's own variables: `=C:=C:\...`
    if (entry.front() == L'=' || equals == std::wstring_view::npos) continue;
    std::string name = kube::narrow(entry.substr(0, equals));
    for (char& c : name) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    result.emplace(std::move(name), kube::narrow(entry.substr(equals + 1)));
  }
  ::FreeEnvironmentStringsW(block);
  return result;
}

std::string name_of_program(const char* argv0) {
  std::string name = argv0;
  std::ranges::replace(name, '\\', '/');
  constexpr std::string_view extension = ".exe";
  if (base::lower_case(name).ends_with(extension)) name.resize(name.size() - extension.size());
  return name;
}

bool is_terminal(Stream stream) {
  DWORD mode = 0;  // unlike _isatty, rejects NUL
  return ::GetConsoleMode(handle_of(stream), &mode) != 0;
}

TerminalSize terminal_size(Stream stream) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (::GetConsoleScreenBufferInfo(handle_of(stream), &info) == 0) return {};
  const SMALL_RECT& window = info.srWindow;
  return {static_cast<std::size_t>(window.Right - window.Left + 1),
          static_cast<std::size_t>(window.Bottom - window.Top + 1)};
}

// A console gets lines, as a pipe does.
bool enter_screen() { return false; }
void leave_screen() {}
std::string pressed_keys(int /*milliseconds*/) { return {}; }
bool take_screen_lost() { return false; }
bool is_stdout_closed() { return false; }
void restore_screen_in_handler() {}

}  // namespace dsdoctor::cmd
