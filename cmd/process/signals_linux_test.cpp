// SPDX-License-Identifier: Apache-2.0

// A signal ends the program during any wait. A signal to this process alone leaves no login command
// behind, and restores the terminal.

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "process/test_arguments.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"
#include "testing/local_listener.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* mixed_cluster = DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json";

bool eventually(const std::function<bool()>& done, milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

/// Reports whether the process has ended; a zombie counts as ended.
bool is_gone(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return true;
  return text.compare(text.rfind(')') + 2, 1, "Z") == 0;
}

/// The program with a login command of the test.
class LoggingIn {
 public:
  /// `script`: of the login command. `terminal`: path of a pty's slave for the standard streams, in
  /// a new session.
  explicit LoggingIn(const std::string& script, const std::string& terminal = "") {
    std::string name = (fs::temp_directory_path() / "dsdoctor-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "login") << "#!/bin/sh\n" << script;
    fs::permissions(folder_ / "login", fs::perms::owner_all);
    std::ofstream(folder_ / "kc")
        << "current-context: c\nclusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"
           "users: [{name: u, user: {exec: {command: ./login, interactiveMode: IfAvailable, "
           "apiVersion: client.authentication.k8s.io/v1}}}]\n"
           "contexts: [{name: c, context: {cluster: k, user: u}}]\n";
    start(terminal);
  }
  ~LoggingIn() {
    if (pid_ != 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (const pid_t pid : pids()) ::kill(pid, SIGKILL);
    fs::remove_all(folder_);
  }
  LoggingIn(const LoggingIn&) = delete;
  LoggingIn& operator=(const LoggingIn&) = delete;

  /// The processes that the command has listed in its file `pids`.
  [[nodiscard]] std::vector<pid_t> pids() const {
    std::ifstream file(folder_ / "pids");
    std::vector<pid_t> result;
    for (pid_t pid = 0; file >> pid;) result.push_back(pid);
    return result;
  }
  /// Returns the exit code as in a shell: 128 + N for signal N.
  int end(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  [[nodiscard]] std::string err() const {
    std::ifstream stream(folder_ / "stderr");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  void start(const std::string& terminal) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const std::string in = terminal.empty() ? "/dev/null" : terminal;
    const std::string err = terminal.empty() ? (folder_ / "stderr").string() : terminal;
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_RDWR | O_CREAT,
                                       0600);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::vector<std::string> words = {DSDOCTOR_PROGRAM, "explain", "-A",
                                      "--kubeconfig=" + (folder_ / "kc").string(), "-v=0"};
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_.string()};
    REQUIRE(::posix_spawn(&pid_, DSDOCTOR_PROGRAM, &actions, &attributes, pointers(words).data(),
                          pointers(environment).data()) == 0);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }

  fs::path folder_;
  pid_t pid_ = 0;
};

constexpr const char* with_a_child = "sleep 30 &\necho $$ $! > \"$(dirname \"$0\")/pids\"\nwait\n";

TEST_CASE("a signal to us alone ends a login command and its children", "[process]") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP, SIGQUIT);
  const std::string deaf = GENERATE("", "trap '' TERM INT HUP QUIT\n");
  CAPTURE(signal, deaf);
  LoggingIn program(deaf + with_a_child);
  REQUIRE(eventually([&] { return program.pids().size() == 2; }, std::chrono::seconds(20)));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(program.end(signal) == 128 + signal);
  for (const pid_t pid : program.pids()) {
    CHECK(eventually([&] { return is_gone(pid); }, milliseconds(1000)));
  }
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(1000));  // 200 on an idle machine
  CHECK(program.err().empty());
}

TEST_CASE("on a terminal a signal also restores its settings", "[process]") {
  int master = -1;
  int slave = -1;
  std::array<char, 256> name{};
  REQUIRE(::openpty(&master, &slave, name.data(), nullptr, nullptr) == 0);
  const auto echoes = [&] {
    termios settings{};
    REQUIRE(::tcgetattr(slave, &settings) == 0);
    return (settings.c_lflag & static_cast<tcflag_t>(ECHO)) != 0;
  };
  CHECK(echoes());
  {
    LoggingIn program("stty -echo\n" + std::string(with_a_child), name.data());
    REQUIRE(eventually([&] { return program.pids().size() == 2 && !echoes(); },
                       std::chrono::seconds(20)));
    CHECK(program.end(SIGTERM) == 128 + SIGTERM);
    CHECK(echoes());
    for (const pid_t pid : program.pids()) {
      CHECK(eventually([&] { return is_gone(pid); }, milliseconds(1000)));
    }
  }
  ::close(slave);
  ::close(master);
}

/// Starts the program with these standard streams, in a new session.
pid_t started(std::vector<std::string> words, std::vector<std::string> environment, int in,
              int out) {
  words.insert(words.begin(), DSDOCTOR_PROGRAM);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  REQUIRE(::posix_spawn(&pid, DSDOCTOR_PROGRAM, &actions, &attributes, pointers(words).data(),
                        pointers(environment).data()) == 0);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

/// Reports whether it sleeps according to /proc: waits for input, output or the network.
bool is_waiting(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.compare(text.rfind(')') + 2, 1, "S") == 0;
}

/// Starts the program with these words and with pipes that nothing reads or writes; once
/// `is_reached` and it waits, `signal` must end it.
void check_ends_by(int signal, const std::vector<std::string>& words,
                   const std::function<bool()>& is_reached) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  REQUIRE((::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0));
  const pid_t pid = started(words, {"PATH=/usr/bin:/bin", "KUBECONFIG=/dev/null"}, in[0], out[1]);
  CHECK(eventually([&] { return is_waiting(pid) && is_reached(); }, std::chrono::seconds(20)));
  std::this_thread::sleep_for(milliseconds(100));
  int status = 0;
  REQUIRE(::waitpid(pid, &status, WNOHANG) == 0);  // it is still running
  const auto begin = std::chrono::steady_clock::now();
  ::kill(pid, signal);
  bool ended = false;
  REQUIRE(eventually([&] { return ended = ended || ::waitpid(pid, &status, WNOHANG) == pid; },
                     std::chrono::seconds(20)));
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(1000));  // 200 on an idle machine
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
  for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
}

TEST_CASE("a signal ends the program during any wait", "[process]") {
  struct Phase {
    const char* name;
    std::vector<std::string> words;
    testing::Fault fault = testing::Fault::None;
  };
  const Phase phase =
      GENERATE(Phase{"standard input", {"explain", "-A", "-f", "-"}},
               Phase{"standard output", {"explain", "-A", "-o", "json", "-f", mixed_cluster}},
               Phase{"the head of an answer", {"explain", "-A"}, testing::Fault::StallBeforeHead},
               Phase{"the body of an answer", {"explain", "-A"}, testing::Fault::StallWithinBody},
               Phase{"another attempt", {"explain", "-A"}, testing::Fault::CloseBeforeHead});
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP, SIGQUIT);
  CAPTURE(phase.name, signal);
  testing::FakeApi api(mixed_cluster);
  const testing::HttpsServer server({false, {}}, [&](const testing::ServedRequest& request) {
    testing::Reply reply = api.handler()(request);
    reply.fault = phase.fault;
    return reply;
  });
  const bool of_server = phase.fault != testing::Fault::None;
  std::vector<std::string> words = phase.words;
  if (of_server) words.push_back("--server=" + server.url());
  check_ends_by(signal, words, [&] { return !of_server || !server.requests().empty(); });
}

TEST_CASE("a signal ends the program during a TLS handshake", "[process]") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP, SIGQUIT);
  CAPTURE(signal);
  std::atomic<bool> greeted = false;
  testing::LocalListener listener;
  listener.start([&](int socket) {
    std::array<char, 4096> bytes{};
    while (::read(socket, bytes.data(), bytes.size()) > 0) greeted = true;  // never answers
  });
  check_ends_by(signal,
                {"explain", "-A", "--server=https://127.0.0.1:" + std::to_string(listener.port())},
                [&] { return greeted.load(); });
}

}  // namespace
}  // namespace dsdoctor::cmd
