// SPDX-License-Identifier: Apache-2.0

// The view of -w on a terminal: it draws on the alternate screen, and gives the terminal back in
// every way in which it can end or stop.

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "process/test_arguments.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;

constexpr const char* entering = "\x1b[?1049h";
constexpr const char* leaving = "\x1b[?1049l";

/// `check -A -w` of a recorded cluster on a terminal.
class OnScreen {
 public:
  explicit OnScreen(const std::string& term = "xterm", std::vector<std::string> more = {}) {
    std::string name = (fs::temp_directory_path() / "dsdoctor-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "kc")
        << "current-context: c\nclusters: [{name: k, cluster: {server: '" << server_.url()
        << "', insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: {token: t}}]\n"
           "contexts: [{name: c, context: {cluster: k, user: u}}]\n";
    int slave = -1;
    winsize size{30, 100, 0, 0};
    REQUIRE(::openpty(&master_, &slave, nullptr, nullptr, &size) == 0);
    ::tcgetattr(slave, &before_);
    slave_ = slave;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::posix_spawn_file_actions_adddup2(&actions, slave, stream);
    }
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    // A group of its own in this session, so that it can be stopped.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> words = {DSDOCTOR_PROGRAM, "check", "-A", "-w",
                                      "--kubeconfig=" + (folder_ / "kc").string()};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_.string(),
                                            "TERM=" + term};
    REQUIRE(::posix_spawn(&pid_, DSDOCTOR_PROGRAM, &actions, &attributes, pointers(words).data(),
                          pointers(environment).data()) == 0);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    reader_ = std::thread([this] { read(); });
  }
  ~OnScreen() {
    if (pid_ != 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(slave_);
    reader_.join();
    ::close(master_);
    fs::remove_all(folder_);
  }
  OnScreen(const OnScreen&) = delete;
  OnScreen& operator=(const OnScreen&) = delete;

  /// Waits until the program has written `text` since the last call.
  bool sees(const std::string& text) {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard lock(mutex_);
        const auto at = seen_.find(text);
        if (at != seen_.npos) {
          seen_.erase(0, at + text.size());
          return true;
        }
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    const std::lock_guard lock(mutex_);
    UNSCOPED_INFO("seen: " << seen_);
    return false;
  }
  void type(const std::string& keys) const {
    REQUIRE(::write(master_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  void send(int signal) const { ::kill(pid_, signal); }
  void resize(unsigned short rows, unsigned short columns) const {
    winsize size{rows, columns, 0, 0};
    ::ioctl(master_, TIOCSWINSZ, &size);  // NOLINT(*-vararg)
  }
  [[nodiscard]] bool is_stopped() const {
    int status = 0;
    return ::waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }
  /// The exit code as in a shell: 128 + N for signal N.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  /// Whether the terminal echoes and waits for Enter, as at the beginning.
  [[nodiscard]] bool is_cooked() const {
    termios now{};
    ::tcgetattr(slave_, &now);
    return now.c_lflag == before_.c_lflag;
  }
  testing::FakeApi& api() { return api_; }

 private:
  void read() {
    std::array<char, 4096> bytes{};
    for (;;) {
      const ssize_t got = ::read(master_, bytes.data(), bytes.size());
      if (got <= 0) return;
      const std::lock_guard lock(mutex_);
      seen_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  testing::CertificateAuthority ca_;
  testing::FakeApi api_{DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json"};
  testing::HttpsServer server_{{true, ca_.issue_server()}, api_.handler()};
  fs::path folder_;
  int master_ = -1;
  int slave_ = -1;
  termios before_{};
  pid_t pid_ = 0;
  std::mutex mutex_;
  std::string seen_;  // guarded by mutex_
  std::thread reader_;
};

TEST_CASE("the view takes keys, follows the size, and ends with q", "[process][screen]") {
  OnScreen screen;
  REQUIRE(screen.sees(entering));
  REQUIRE(screen.sees("Enter open"));
  CHECK_FALSE(screen.is_cooked());
  screen.type("j\r");
  CHECK(screen.sees("evidence: "));
  screen.type("\x1b");
  screen.resize(5, 20);
  CHECK(screen.sees("needs 30x6"));
  screen.resize(24, 80);
  CHECK(screen.sees("Enter open"));
  screen.type("q");
  CHECK(screen.sees(leaving));
  CHECK(screen.wait() == 0);
  CHECK(screen.is_cooked());
}

TEST_CASE("a signal gives the terminal back", "[process][screen]") {
  OnScreen screen;
  REQUIRE(screen.sees("live"));
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  screen.send(signal);
  CHECK(screen.sees(leaving));
  CHECK(screen.wait() == 128 + signal);
  CHECK(screen.is_cooked());
}

TEST_CASE("a stopped view gives the terminal back and draws again", "[process][screen]") {
  OnScreen screen;
  REQUIRE(screen.sees("live"));
  for (int i = 0; i < 2; ++i) {
    screen.send(SIGTSTP);
    CHECK(screen.sees(leaving));
    REQUIRE(screen.is_stopped());
    CHECK(screen.is_cooked());
    screen.send(SIGCONT);
    CHECK(screen.sees(entering));
    CHECK(screen.sees("Enter open"));
    CHECK_FALSE(screen.is_cooked());
  }
  screen.type("q");
  CHECK(screen.wait() == 0);
}

TEST_CASE("a dumb terminal gets lines", "[process][screen]") {
  OnScreen screen("dumb");
  CHECK(screen.sees(" + "));
  CHECK(screen.sees(" = "));
  CHECK(screen.is_cooked());
  screen.send(SIGINT);
  CHECK(screen.wait() == 128 + SIGINT);
}

TEST_CASE("with --until, the last lines are printed below the view", "[process][screen]") {
  OnScreen screen("xterm", {"--until", "healthy", "--timeout", "5s"});
  REQUIRE(screen.sees(entering));
  REQUIRE(screen.sees(leaving));
  CHECK(screen.sees("timed out after 5s: healthy"));
  CHECK(screen.wait() == 1);
}

}  // namespace
}  // namespace dsdoctor::cmd
