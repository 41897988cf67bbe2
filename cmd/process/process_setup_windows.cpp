// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <array>
#include <cstdlib>

#include "kube/os/files.h"
#include "process/process_setup.h"

namespace dsdoctor::cmd {
namespace {

// Global, because a handler of console events reads them.
UINT code_page_at_start = 0;            // NOLINT(*-avoid-non-const-global-variables)
std::array<DWORD, 2> modes_at_start{};  // NOLINT(*-avoid-non-const-global-variables)
std::array<HANDLE, 2> consoles{};       // NOLINT(*-avoid-non-const-global-variables)
constexpr std::array outputs = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};

/// Restores the console, which the shell uses as well.
void give_console_back() {
  if (code_page_at_start != 0) ::SetConsoleOutputCP(code_page_at_start);
  for (std::size_t i = 0; i < consoles.size(); ++i) {
    if (consoles[i] != nullptr) ::SetConsoleMode(consoles[i], modes_at_start[i]);
  }
}

/// Handles Ctrl-C, Ctrl-Break and closing the window. Same exit code as the default handler, but
/// without waiting: that one waits for locks of other threads. The job of login commands ends with
/// us.
BOOL WINAPI on_control(DWORD /*event*/) {
  kube::remove_unfinished_file();
  give_console_back();
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(STATUS_CONTROL_C_EXIT));
  return FALSE;
}

}  // namespace

void set_up_process() {
  // no newline conversion: JSON and patches with LF, snapshots unchanged
  for (const int descriptor : {0, 1, 2}) (void)::_setmode(descriptor, _O_BINARY);
  // no dialog when a program or a drive is missing
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const HANDLE handle = ::GetStdHandle(outputs[i]);
    if (::GetConsoleMode(handle, &modes_at_start[i]) == 0) continue;
    consoles[i] = handle;
    ::SetConsoleMode(handle, modes_at_start[i] | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    if (code_page_at_start == 0) code_page_at_start = ::GetConsoleOutputCP();
  }
  ::SetConsoleCtrlHandler(&on_control,
                          TRUE);  // for the keyboard, even if our streams are redirected
  if (code_page_at_start == 0) return;
  ::SetConsoleOutputCP(CP_UTF8);
  (void)std::atexit(&give_console_back);
}

}  // namespace dsdoctor::cmd
