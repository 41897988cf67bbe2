// SPDX-License-Identifier: Apache-2.0
#include "kube/os/running_commands_posix.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace dsdoctor::kube {
namespace {

constexpr pid_t nobody = 0;
constexpr pid_t about_to_start = -1;

// Global, because a signal handler reads them. A group leader is stored as -PID, like kill's
// argument.
std::array<std::atomic<pid_t>, 8> places{};  // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> ending = false;            // NOLINT(*-avoid-non-const-global-variables)
static_assert(std::atomic<pid_t>::is_always_lock_free);
static_assert(about_to_start == -1, "and no process has the number 1 that we could have started");

void pause_milliseconds(int time) { (void)::poll(nullptr, 0, time); }

/// `whom` is kill's argument: a process, or a group as the negative PID of its leader.
bool has_ended(pid_t whom) {
  (void)::waitpid(whom > 0 ? whom : -whom, nullptr,
                  WNOHANG);  // reaps it, because a zombie counts as running
  return ::kill(whom, 0) != 0;
}

void end_command(pid_t whom, int signal, int& patience) {
  (void)::kill(whom, signal);
  for (; patience > 0 && !has_ended(whom); --patience) pause_milliseconds(1);
  (void)::kill(whom, SIGKILL);
}

/// True: the signal was sent to our whole group, and this process ignores it.
bool tell_our_group(int signal) {
  if (::getpgrp() != ::getpid()) return false;
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigemptyset(&ignored.sa_mask);
  (void)::sigaction(signal, &ignored, nullptr);
  return ::kill(0, signal) == 0;
}

}  // namespace

RunningCommand::RunningCommand() {
  sigset_t ends{};
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ends, signal);
  ::pthread_sigmask(SIG_BLOCK, &ends, &before_);
  for (std::atomic<pid_t>& place : places) {
    pid_t expected = nobody;
    if (!place.compare_exchange_strong(expected, about_to_start)) continue;
    place_ = &place;
    return;
  }
}

RunningCommand::~RunningCommand() {
  if (place_ != nullptr) *place_ = nobody;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void RunningCommand::started(pid_t pid, bool leads_group) {
  if (place_ != nullptr) *place_ = leads_group ? -pid : pid;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void RunningCommand::wait_if_ending() {
  while (ending) pause_milliseconds(1000);
}

void end_running_commands(int signal) noexcept {
  ending = true;
  int patience = 100;  // milliseconds, for all commands together
  for (std::atomic<pid_t>& place : places) {
    while (place == about_to_start && --patience > 0) pause_milliseconds(1);
    const pid_t whom = place;
    if (whom == nobody || whom == about_to_start) continue;
    if (whom > 0) (void)tell_our_group(signal);
    end_command(whom, signal, patience);
  }
}

}  // namespace dsdoctor::kube
