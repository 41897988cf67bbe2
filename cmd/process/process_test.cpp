// SPDX-License-Identifier: Apache-2.0

// The program as a process: behaviour that only the operating system shows.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "process/test_arguments.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::cmd {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Clock = std::chrono::steady_clock;
using testing::Fault;
using testing::Reply;

/// A running program with its output in files.
class Process {
 public:
  Process(const std::filesystem::path& folder, std::vector<std::string> arguments,
          std::vector<std::string> environment, int out = -1)
      : err_(folder / "stderr"), out_(folder / "stdout") {
    arguments.insert(arguments.begin(), DSDOCTOR_PROGRAM);
    environment.emplace_back("PATH=/usr/bin:/bin");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    constexpr int write = O_WRONLY | O_CREAT | O_TRUNC;
    if (out >= 0) {
      ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    } else {
      ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), write, 0600);
    }
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), write, 0600);
    REQUIRE(::posix_spawn(&pid_, DSDOCTOR_PROGRAM, &actions, nullptr, pointers(arguments).data(),
                          pointers(environment).data()) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void interrupt() const { ::kill(pid_, SIGINT); }
  /// Returns the exit code as in a shell: 128 + N for signal N.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return *status_;
  }
  [[nodiscard]] std::string err() const { return read(err_); }
  [[nodiscard]] std::string out() const { return read(out_); }

 private:
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::filesystem::path err_;
  std::filesystem::path out_;
  pid_t pid_ = 0;
  std::optional<int> status_;
};

struct Setting {
  std::filesystem::path folder;
  testing::CertificateAuthority ca;
  testing::FakeApi api{std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json"};
  Reply reply;  // sent instead of the cluster's answers if its status is not 0
  testing::HttpsServer server{{true, ca.issue_server()}, [this](const testing::ServedRequest& r) {
                                return reply.status == 0 ? handler(r) : reply;
                              }};
  testing::Handler handler = api.handler();
  std::string user = "token: CANARYtoken";

  Setting() {
    std::string name = (std::filesystem::temp_directory_path() / "dsdoctor-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    reply.status = 0;
  }
  ~Setting() { std::filesystem::remove_all(folder); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  std::unique_ptr<Process> start(std::vector<std::string> arguments, int out = -1) {
    write("ca.crt", ca.certificate());
    write("kc", "current-context: c1\nclusters: [{name: k1, cluster: {server: '" + server.url() +
                    "', certificate-authority: ca.crt}}]\nusers: [{name: u1, user: {" + user +
                    "}}]\ncontexts: [{name: c1, context: {cluster: k1, user: u1}}]\n");
    arguments.push_back("--kubeconfig=" + (folder / "kc").string());
    return std::make_unique<Process>(folder, std::move(arguments),
                                     std::vector<std::string>{"HOME=" + folder.string()}, out);
  }
  /// Waits up to 20 s for `done`.
  static bool eventually(const std::function<bool()>& done) {
    for (int i = 0; i < 2000 && !done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return done();
  }
  /// Starts the program, waits until `busy`, interrupts it, and expects it to end immediately and
  /// without a message.
  void interrupted(const std::function<bool()>& busy) {
    const auto process = start({"explain", "-A"});
    REQUIRE(eventually(busy));
    const auto begin = Clock::now();
    process->interrupt();
    CHECK(process->wait() == 130);
    CHECK(Clock::now() - begin < std::chrono::seconds(1));
    CHECK(process->err().empty());
    CHECK(process->out().empty());
  }
};

TEST_CASE("Ctrl-C ends the program immediately during any wait", "[process][row 149]") {
  Setting s;
  SECTION("for an answer") {
    s.reply = Reply{200};
    s.reply.fault = Fault::StallBeforeHead;
    s.interrupted([&] { return !s.server.requests().empty(); });
  }
  SECTION("for the next attempt") {
    s.reply = testing::status_reply(429, "TooManyRequests", "busy");
    s.reply.headers.emplace("Retry-After", "60");
    s.interrupted([&] { return s.server.requests().size() >= 2; });
  }
  SECTION("for a login command") {
    s.write("login",
            "#!/bin/sh\necho $$ > '" + (s.folder / "runs").string() + "'\nexec sleep 20\n");
    s.user =
        "exec: {command: ./login, apiVersion: client.authentication.k8s.io/v1, interactiveMode: "
        "Never}";
    const auto runs = s.folder / "runs";
    s.interrupted(
        [&] { return std::filesystem::exists(runs) && std::filesystem::file_size(runs) > 1; });
    pid_t child = 0;
    std::ifstream(runs) >> child;
    if (child > 0) ::kill(child, SIGKILL);  // a terminal would have interrupted it too
  }
}

TEST_CASE("a reader that closes the pipe is not an error", "[process][row 148]") {
  Setting s;
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  for (const int end : pipe) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::close(pipe[0]);
  // as with a parent that ignores SIGPIPE, which children inherit
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const auto process = s.start({"explain", "-A", "-o", "json"}, pipe[1]);
  ::signal(SIGPIPE, before);
  ::close(pipe[1]);
  CHECK(process->wait() == 128 + SIGPIPE);
  CHECK_THAT(process->err(), !Contains("error"));
}

TEST_CASE("a failed write is reported with the system's reason", "[process]") {
  Setting s;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"explain", "-A", "--demo", "-o", "json"},
        {"version"},
        {"snapshot", "-", "--demo"}}) {
    const int full = ::open("/dev/full", O_WRONLY);
    Process process(s.folder, words, {}, full);
    ::close(full);
    CHECK(process.wait() == 2);
    CHECK(process.err() == "error: writing the answer failed: No space left on device\n");
  }
}

TEST_CASE("a file that reaches its size limit is an error", "[process]") {
  Setting s;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"explain", "-A", "--demo", "-o", "json"},
        {"snapshot", (s.folder / "saved.json").string(), "--demo"}}) {
    const rlimit small{4096, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    Process process(s.folder, words, {});
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(process.wait() == 2);
    CHECK_THAT(process.err(), StartsWith("error: ") && Contains("File too large"));
    CHECK(std::ranges::count(process.err(), '\n') == 1);
  }
  CHECK_FALSE(std::filesystem::exists(s.folder / "saved.json"));
}

TEST_CASE("a FIFO in the place of a file of the user does not stop a command", "[process]") {
  Setting s;
  const auto configuration = s.folder / ".config" / "dsdoctor";
  std::filesystem::create_directories(configuration);
  for (const char* name : {"config.yaml", "taints.yaml"}) {
    REQUIRE(::mkfifo((configuration / name).c_str(), 0600) == 0);
  }
  const auto begin = Clock::now();
  Process process(s.folder, {"explain", "-A", "--demo"}, {"HOME=" + s.folder.string()});
  CHECK(process.wait() == 0);
  CHECK(Clock::now() - begin < std::chrono::seconds(10));
  for (const char* name : {"config.yaml", "taints.yaml"}) {
    CHECK_THAT(process.err(), Contains("warning: read " + (configuration / name).string() +
                                       ": is no regular file and did not end within 1 s; the file "
                                       "is ignored\n"));
  }
}

TEST_CASE("a token file without end is an error after a while", "[process]") {
  Setting s;
  const auto fifo = s.folder / "token";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  s.user = "tokenFile: " + fifo.string();
  const auto waiting = s.start({"check", "-A"});
  CHECK(waiting->wait() == 2);
  CHECK_THAT(waiting->err(), Contains("failed to read token file") &&
                                 Contains("is no regular file and did not end within 10 s"));
  // One with a writer is read.
  std::thread writer([&] { std::ofstream(fifo) << "CANARYtoken"; });
  const auto reading = s.start({"explain", "-A", "-o", "name"});
  CHECK(reading->wait() == 0);
  writer.join();
}

TEST_CASE("a printed command restores a file name with control characters", "[process]") {
  Setting s;
  const std::string file = (s.folder / "a\nb \x1b[31m'\\%s\u202e.json").string();
  std::filesystem::copy_file(std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json",
                             file);
  Process process(s.folder, {"check", "-A", "-f", file}, {});
  CHECK(process.wait() == 1);
  const std::string out = process.out();
  const std::string mark = "\nNext: kubectl dsdoctor ";
  const auto next = out.find(mark);
  REQUIRE(next != std::string::npos);
  const auto begin = next + mark.size();
  const std::string command = out.substr(begin, out.find('\n', begin) - begin);
  const auto script = s.folder / "print";
  s.write("print", "#!/bin/sh\nfor last; do :; done\nprintf %s \"$last\" >" +
                       (s.folder / "last").string() + "\n");
  for (const char* shell : {"/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/fish"}) {
    if (!std::filesystem::exists(shell)) continue;
    CAPTURE(shell, command);
    const std::string line =
        std::string(shell) + " -c \"$(cat " + (s.folder / "line").string() + ")\"";
    s.write("line", script.string() + " " + command);
    CHECK(std::system(line.c_str()) == 0);
    std::ifstream stream(s.folder / "last");
    CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == file);
  }
}

TEST_CASE("the flag -A overrides -n", "[process][row 63]") {
  Setting s;
  const auto process = s.start({"explain", "-n", "a", "-A"});
  (void)process->wait();
  CHECK_THAT(process->out(), Contains("node"));
  bool pods = false;
  for (const auto& request : s.server.requests()) {
    // Details are read only in the namespaces of problems.
    const bool list = request.path.ends_with("/pods") || request.path.ends_with("/daemonsets");
    if (list) CHECK_THAT(request.path, !Contains("/namespaces/"));
    pods = pods || request.path == "/api/v1/pods";
  }
  CHECK(pods);
}

TEST_CASE("the flag -v=10 shows everything except the credential", "[process][row 146]") {
  Setting s;
  s.api.require_token("CANARYtoken");
  const auto process = s.start({"explain", "-A", "-v=10"});
  (void)process->wait();
  const std::string err = process->err();
  CHECK_THAT(err, Contains("configuration: context \"c1\"") &&
                      Contains("Authorization: Bearer <masked>") && Contains("curl -v -XGET") &&
                      Contains("Response Body: ") && Contains("HTTP Statistics: "));
  CHECK_THAT(err, !Contains("CANARY"));
  CHECK_THAT(process->out(), !Contains("CANARY") && Contains("node"));
}

}  // namespace
}  // namespace dsdoctor::cmd
