#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is only there
#include <sys/types.h>

#include <atomic>

namespace dsdoctor::kube {

/// A command that is about to run, and then runs, as long as this object lives; so that what ends
/// us can end it as well. Signals do not interrupt this thread between the constructor and
/// `started`.
class RunningCommand {
 public:
  RunningCommand();
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  /// `leads_group`: it has a process group of its own. Not called where it could not start.
  void started(pid_t pid, bool leads_group);
  /// Blocks for good if end_running_commands was called: whoever called it ends this process, and
  /// how the command ended is not to be reported meanwhile.
  static void wait_if_ending();

 private:
  std::atomic<pid_t>* place_ = nullptr;
  sigset_t before_{};
};

/// Passes `signal` on to all running commands, with all of their groups, and kills what has not
/// ended within 100 ms. Where a command is in our group and we lead it, the signal goes to the
/// whole group. Calls nothing but what POSIX allows in a handler of signals. The caller then ends
/// this process. REQUIRES: `signal` cannot end this thread now.
void end_running_commands(int signal) noexcept;

}  // namespace dsdoctor::kube
