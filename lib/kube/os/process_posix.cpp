// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is only there
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "base/text.h"
#include "kube/os/files.h"
#include "kube/os/process.h"
#include "kube/os/running_commands_posix.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  // posix_spawn takes char* only for compatibility and changes nothing.
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));  // NOLINT
  result.push_back(nullptr);
  return result;
}

/// The child's pipe and attributes, released in the destructor.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(const ProcessSpec& spec, int stdout_pipe, bool own_group, pid_t& pid) {
    ::posix_spawn_file_actions_adddup2(&actions_, stdout_pipe, STDOUT_FILENO);
    if (!spec.inherit_stdin) {
      ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    // the child must not inherit that we ignore SIGPIPE and SIGXFSZ
    sigset_t defaults;
    sigset_t none;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group));
    std::vector<std::string> arguments{spec.name.empty() ? spec.file : spec.name};
    arguments.insert(arguments.end(), spec.args.begin(), spec.args.end());
    return ::posix_spawn(&pid, spec.file.c_str(), &actions_, &attributes_,
                         pointers(arguments).data(), pointers(spec.environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

struct Limits {
  std::optional<steady_clock::time_point> deadline;
  std::size_t output = 0;

  [[nodiscard]] bool expired() const { return deadline && steady_clock::now() >= *deadline; }
  /// For poll: milliseconds, -1 without a limit.
  [[nodiscard]] int remaining() const {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*deadline - steady_clock::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
  }
};

Error over_limit(const ProcessSpec& spec, std::string what) {
  return {ErrorKind::Unavailable, spec.file, std::move(what)};
}

/// The error for errno.
Error unread(const ProcessSpec& spec) {
  return {ErrorKind::Unavailable, spec.file,
          fmt::format("its output cannot be read: {}", std::generic_category().message(errno))};
}

/// Reads until all writers have closed the pipe.
base::Result<std::string> read_all(int pipe, const ProcessSpec& spec, const Limits& limits) {
  std::string output;
  std::array<char, 16384> buffer;  // NOLINT(*-member-init): filled by read
  for (;;) {
    pollfd poll_on{pipe, POLLIN, 0};
    const int ready = ::poll(&poll_on, 1, limits.remaining());
    if (limits.expired()) {
      return over_limit(spec,
                        fmt::format("did not exit within {}s", spec.time_limit.count() / 1000));
    }
    if (ready < 0 && errno != EINTR) return unread(spec);
    if (ready <= 0) continue;
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unread(spec);
    if (got == 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(got));
    if (output.size() > limits.output) {
      return over_limit(spec, fmt::format("printed more than {} bytes", limits.output));
    }
  }
}

/// Null after the deadline.
std::optional<int> wait_for(pid_t pid, const Limits& limits) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, limits.deadline ? WNOHANG : 0);
    if (ended == pid) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended < 0 && errno != EINTR) return 127;  // another thread reaped it
    if (limits.expired()) return std::nullopt;
    if (ended == 0) std::this_thread::sleep_for(milliseconds(2));
  }
}

void end(pid_t pid, bool own_group) {
  ::kill(own_group ? -pid : pid, SIGKILL);
  (void)wait_for(pid, Limits{});
}

/// Reports whether we have a controlling terminal: its Ctrl-C reaches our process group, and only
/// the foreground group may read from it, which a command may do whatever its stdin is.
bool has_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);  // NOLINT(*-vararg)
  if (terminal >= 0) ::close(terminal);
  return terminal >= 0;
}

/// The child does not inherit its ends.
bool make_pipe(std::array<int, 2>& pipe) {
#ifdef __APPLE__  // has no pipe2
  if (::pipe(pipe.data()) != 0) return false;
  for (const int end : pipe) (void)::fcntl(end, F_SETFD, FD_CLOEXEC);  // NOLINT(*-vararg)
  return true;
#else
  return ::pipe2(pipe.data(), O_CLOEXEC) == 0;
#endif
}

bool is_executable(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

base::Result<ProcessResult> run_process(const ProcessSpec& spec) {
  std::array<int, 2> pipe{};
  if (!make_pipe(pipe)) {
    return Error{ErrorKind::Unavailable, spec.file, std::generic_category().message(errno)};
  }
  const bool own_group = !has_terminal();
  pid_t pid = 0;
  RunningCommand running;
  const int failed = SpawnSettings().spawn(spec, pipe[1], own_group, pid);
  if (failed == 0) running.started(pid, own_group);
  ::close(pipe[1]);
  if (failed != 0) {
    ::close(pipe[0]);
    const bool missing = failed == ENOENT || failed == ENOTDIR;
    return Error{missing ? ErrorKind::NotFound : ErrorKind::Unreadable, spec.file,
                 std::generic_category().message(failed)};
  }
  Limits limits{std::nullopt, spec.output_limit};
  if (spec.time_limit.count() > 0) limits.deadline = steady_clock::now() + spec.time_limit;
  auto output = read_all(pipe[0], spec, limits);
  ::close(pipe[0]);
  RunningCommand::wait_if_ending();
  if (!output) {
    end(pid, own_group);
    return output.error();
  }
  const auto exit_code = wait_for(pid, limits);
  RunningCommand::wait_if_ending();
  if (!exit_code) {
    end(pid, own_group);
    return over_limit(spec, fmt::format("did not exit within {}s", spec.time_limit.count() / 1000));
  }
  return ProcessResult{*exit_code, std::move(*output)};
}

base::Result<std::string> find_executable(const std::string& command, const CommandPath& path) {
  const std::string clean = std::filesystem::path(command).lexically_normal().string();
  if (clean.find('/') != std::string::npos) {
    if (is_executable(clean)) return clean;
    struct stat info {};
    const bool missing = ::stat(clean.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
    if (missing) return Error{ErrorKind::NotFound, clean, "no such executable"};
    return Error{ErrorKind::Unreadable, clean, "permission denied"};
  }
  for (const std::string_view folder : base::split(path.folders, ":")) {
    // skip `.`, empty and other relative elements: they depend on the working directory
    if (!folder.starts_with('/')) continue;
    const std::string file = clean_path(fmt::format("{}/{}", folder, clean));
    if (is_executable(file)) return file;
  }
  return Error{ErrorKind::NotFound, clean, "executable file not found in $PATH"};
}

}  // namespace dsdoctor::kube
