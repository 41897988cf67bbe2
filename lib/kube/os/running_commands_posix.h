// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is only there
#include <sys/types.h>

#include <atomic>

namespace dsdoctor::kube {

/// Registers a command before it starts and until this object is destroyed, so that a signal
/// handler can end the command too. Signals do not interrupt this thread between the constructor
/// and `started`.
class RunningCommand {
 public:
  RunningCommand();
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  /// `leads_group`: it has its own process group. Not called if it could not start.
  void started(pid_t pid, bool leads_group);
  /// Blocks forever if end_running_commands was called: its caller ends this process, and the
  /// command's result must not be reported meanwhile.
  static void wait_if_ending();

 private:
  std::atomic<pid_t>* place_ = nullptr;
  sigset_t before_{};
};

/// Sends `signal` to all running commands and their groups, and kills those that have not ended
/// within 100 ms. If a command is in our group and we lead it, the whole group gets the signal.
/// Calls only functions that POSIX allows in a signal handler. The caller then ends this process.
/// REQUIRES: `signal` cannot end this thread now.
void end_running_commands(int signal) noexcept;

}  // namespace dsdoctor::kube
