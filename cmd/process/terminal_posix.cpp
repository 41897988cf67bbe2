// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is only there
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
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

// Global, because signal handlers use them.
termios cooked{};                         // NOLINT(*-avoid-non-const-global-variables)
termios raw{};                            // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> is_on_screen{false};    // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> is_screen_lost{false};  // NOLINT(*-avoid-non-const-global-variables)
constexpr std::string_view to_screen = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view from_screen = "\x1b[0m\x1b[?25h\x1b[?1049l";

/// A terminal that does not take the bytes is gone.
void send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void set_action(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  (void)::sigaction(signal, &action, nullptr);
}

/// Ctrl-Z: shows the shell its own screen, and stops.
void stop(int signal) {
  restore_screen_in_handler();
  set_action(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  (void)::raise(signal);
  (void)::sigprocmask(SIG_UNBLOCK, &only, nullptr);  // stops here
  set_action(signal, &stop);
}

/// Called when the process continues after a stop.
void go_on(int /*signal*/) {
  if (!is_on_screen) return;
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  send(to_screen);
  is_screen_lost = true;
}

}  // namespace

bool enter_screen() {
  if (!is_terminal(Stream::In) || !is_terminal(Stream::Out)) return false;
  if (::tcgetattr(STDIN_FILENO, &cooked) != 0) return false;
  raw = cooked;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return false;
  is_on_screen = true;
  set_action(SIGTSTP, &stop);
  set_action(SIGCONT, &go_on);
  send(to_screen);
  return true;
}

void leave_screen() {
  if (!is_on_screen.exchange(false)) return;
  set_action(SIGTSTP, SIG_DFL);
  set_action(SIGCONT, SIG_DFL);
  send(from_screen);
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

void restore_screen_in_handler() {
  if (!is_on_screen) return;
  send(from_screen);
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

std::string pressed_keys(int milliseconds) {
  pollfd keyboard{STDIN_FILENO, POLLIN, 0};
  if (::poll(&keyboard, 1, milliseconds) <= 0) return {};
  std::array<char, 64> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got > 0) return {bytes.data(), static_cast<std::size_t>(got)};
  return "q";  // the terminal is gone
}

bool take_screen_lost() { return is_screen_lost.exchange(false); }

bool is_stdout_closed() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLNVAL)) != 0;
}

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
