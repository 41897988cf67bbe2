#include "process/process_setup.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is only there
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <initializer_list>

namespace dsdoctor::cmd {
namespace {

// What a signal handler reads must be global.
termios terminal_at_start{};  // NOLINT(*-avoid-non-const-global-variables)

/// Only what POSIX allows in a handler.
void give_terminal_back(int signal) {
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_at_start);
  (void)::raise(signal);  // SA_RESETHAND: this time it ends the process
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  if (handler == &give_terminal_back) ::sigaddset(&action.sa_mask, SIGTTOU);  // in the background
  (void)::sigaction(signal, &action, nullptr);
}

}  // namespace

void set_up_process() {
  // a parent that ignores SIGPIPE would make us complain about a `| head`
  handle(SIGPIPE, SIG_DFL, 0);
  // and one that ignores SIGCHLD would hide how a login command ended
  handle(SIGCHLD, SIG_DFL, 0);
  rlimit cores{};
  if (::getrlimit(RLIMIT_CORE, &cores) == 0) {
    cores.rlim_cur = 0;
    (void)::setrlimit(RLIMIT_CORE, &cores);
  }
  if (::tcgetattr(STDIN_FILENO, &terminal_at_start) != 0) return;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // one that is ignored, as by nohup, stays so
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      handle(signal, &give_terminal_back, static_cast<int>(SA_RESETHAND));
    }
  }
}

}  // namespace dsdoctor::cmd
