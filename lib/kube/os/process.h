#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is only there

#include <chrono>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

struct ProcessSpec {
  std::string file;                         // what is executed; no shell, no PATH
  std::string name;                         // argv[0]; empty: `file`
  std::vector<std::string> args;            // from argv[1]
  std::vector<std::string> environment;     // NAME=value
  bool inherit_stdin = false;               // else /dev/null
  std::size_t output_limit = 0;             // bytes of stdout
  std::chrono::milliseconds time_limit{0};  // 0: none
};

struct ProcessResult {
  int exit_code = 0;   // 128 + N when a signal N ended it
  std::string output;  // of stdout
};

/// Runs a program to its end; its stderr is ours. Where there is a terminal it stays in our process
/// group, so that Ctrl-C reaches it; else it has a group of its own (`running_commands.h`). Errors:
/// NotFound, Unreadable (no permission, or no program), Unavailable (over a limit, then the process
/// is killed). No error repeats arguments or output.
[[nodiscard]] base::Result<ProcessResult> run_process(const ProcessSpec& spec);

/// The executable for `command`: as it is where it has a slash, else the first match in `path`.
/// A match through `.` or an empty element of the list does not count. Errors: NotFound.
[[nodiscard]] base::Result<std::string> find_executable(const std::string& command,
                                                        const std::string& path);

/// Keeps SIGPIPE from this thread while it writes to sockets: OpenSSL has no MSG_NOSIGNAL, and a
/// server that is removed must not end us, while a closed stdout should.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeGuard() {
    if (::sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace dsdoctor::kube
