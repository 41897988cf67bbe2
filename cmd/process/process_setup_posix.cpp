// SPDX-License-Identifier: Apache-2.0
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is only there
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <initializer_list>

#include "kube/os/files.h"
#include "kube/os/running_commands_posix.h"
#include "process/process_setup.h"
#include "process/terminal.h"

namespace dsdoctor::cmd {
namespace {

// Global, because a signal handler reads them.
termios terminal_at_start{};   // NOLINT(*-avoid-non-const-global-variables)
int terminal = -1;             // NOLINT(*-avoid-non-const-global-variables)
std::atomic_flag is_ending{};  // NOLINT(*-avoid-non-const-global-variables)
constexpr std::array ends = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  (void)::sigaction(signal, &action, nullptr);
}

/// Reports whether the terminal sent the signal: then a login command has received it too.
bool is_from_terminal(const siginfo_t& info) {
#ifdef SI_KERNEL
  return info.si_code == SI_KERNEL;
#else  // macOS reports no sender
  return info.si_pid == 0;
#endif
}

/// Calls only functions that POSIX allows in a handler.
void end_by(int signal, siginfo_t* info, void* /*context*/) {
  if (is_ending.test_and_set()) return;
  kube::remove_unfinished_file();
  if (!is_from_terminal(*info)) kube::end_running_commands(signal);
  restore_screen_in_handler();
  if (terminal >= 0) (void)::tcsetattr(terminal, TCSANOW, &terminal_at_start);
  // The kernel drops signals with the default action for the first process of a container.
  constexpr int by_signal = 128;
  if (::getpid() == 1) ::_exit(by_signal + signal);
  set_default(signal);
  (void)::raise(signal);  // takes effect when the handler returns
}

void set_handler(int signal) {
  struct sigaction before {};
  // keep an ignored signal ignored, as with nohup
  if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_sigaction = &end_by;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGTTOU);  // may arrive in the background
  for (const int other : ends) sigaddset(&action.sa_mask, other);
  (void)::sigaction(signal, &action, nullptr);
}

}  // namespace

void set_up_process() {
  // if the parent ignores SIGPIPE, `| head` would cause an error message
  set_default(SIGPIPE);
  // a file that reaches `ulimit -f` is then an error of write
  (void)::signal(SIGXFSZ, SIG_IGN);
  // if the parent ignores SIGCHLD, a login command's exit code would be lost
  set_default(SIGCHLD);
  rlimit cores{};
  if (::getrlimit(RLIMIT_CORE, &cores) == 0) {
    cores.rlim_cur = 0;
    (void)::setrlimit(RLIMIT_CORE, &cores);
  }
  // A login command may change the terminal, whichever of our streams leads there.
  for (const int stream : {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO}) {
    if (terminal < 0 && ::tcgetattr(stream, &terminal_at_start) == 0) terminal = stream;
  }
  for (const int signal : ends) set_handler(signal);
}

}  // namespace dsdoctor::cmd
