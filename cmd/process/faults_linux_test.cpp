// SPDX-License-Identifier: Apache-2.0

// Every system call fails in turn, as in the tables: checks the error message, and that no
// incomplete answer looks complete.

#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "process/test_arguments.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Removes the time of reading, which a JSON answer contains.
std::string without_time(std::string text) {
  const auto at = text.find("\"readAt\"");
  return at == text.npos ? text : text.erase(at, text.find('\n', at) - at);
}

struct FaultOutcome {
  int code = -1;  // 128 + N for signal N; 999: it did not end
  std::string out;
  std::string err;
  std::string file;  // the written snapshot
};

/// A folder with the inputs of the runs: a cluster as a file and as an archive, a server and a
/// kubeconfig.
class Bench {
 public:
  Bench() {
    std::string name = (fs::temp_directory_path() / "dsdoctor-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::copy_file(cluster, folder_ / "cluster.json");
    fs::create_directory(folder_ / "dump");
    fs::copy_file(cluster, folder_ / "dump/cluster.json");
    const std::string pack =
        "tar -C '" + folder_.string() + "' -czf '" + (folder_ / "dump.tar.gz").string() + "' dump";
    REQUIRE(std::system(pack.c_str()) == 0);
    const std::string url = "https://localhost:" + std::to_string(server_.port());
    std::ofstream(folder_ / "login")
        << "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication."
           "k8s.io/v1\",\"status\":{\"token\":\"t\"}}'\n";
    fs::permissions(folder_ / "login", fs::perms::owner_all);
    std::ofstream(folder_ / "kc") << "current-context: c\nclusters: [{name: k, cluster: {server: '"
                                  << url << "', insecure-skip-tls-verify: true}}]\n"
                                  << "users: [{name: u, user: {exec: {command: ./login, "
                                     "interactiveMode: Never, "
                                     "apiVersion: client.authentication.k8s.io/v1}}}]\n"
                                     "contexts: [{name: c, context: {cluster: k, user: u}}]\n";
    fs::permissions(folder_ / "kc", fs::perms::owner_read | fs::perms::owner_write);
  }
  ~Bench() { fs::remove_all(folder_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// `fault`: for the fault library (test_faults.cpp); empty: no fault. `memory`: a limit in MiB;
  /// 0: unlimited.
  FaultOutcome run(const std::vector<std::string>& words, const std::string& fault = "",
                   unsigned memory = 0) const {
    fs::remove(folder_ / "seen");
    fs::remove(folder_ / "snap.zst");
    const pid_t pid = begin(words, fault, memory);
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
        return {999, "", "no end", ""};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            without_time(content_of(folder_ / "out")), content_of(folder_ / "err"),
            content_of(folder_ / "snap.zst")};
  }
  /// Reports whether the last run reached its fault.
  [[nodiscard]] bool was_due() const { return fs::exists(folder_ / "seen"); }
  /// Reports whether the server received only complete requests, not a mixture of several.
  [[nodiscard]] bool sent_requests() const {
    return std::ranges::all_of(server_.requests(), [](const testing::ServedRequest& request) {
      return request.method == "GET" && !request.header("user-agent").empty();
    });
  }
  /// Reports whether the run left no unfinished snapshot in the folder.
  [[nodiscard]] bool is_tidy() const {
    return std::ranges::none_of(fs::directory_iterator(folder_), [](const auto& entry) {
      return entry.path().string().ends_with(".part");
    });
  }

 private:
  [[nodiscard]] pid_t begin(std::vector<std::string> words, const std::string& fault,
                            unsigned memory) const {
    words.insert(words.begin(), DSDOCTOR_PROGRAM);
    if (memory != 0) {
      const std::string limited = "ulimit -v " + std::to_string(memory * 1024) + "; exec \"$@\"";
      words.insert(words.begin(), {"/bin/sh", "-c", limited, "sh"});
    }
    std::vector<std::string> environment = {"KUBECONFIG=kc", "PATH=/usr/bin:/bin"};
    if (!fault.empty()) {
      environment.push_back("DSDOCTOR_FAULT=" + fault);
      environment.push_back("DSDOCTOR_FAULT_SEEN=" + (folder_ / "seen").string());
      environment.emplace_back("LD_PRELOAD=" DSDOCTOR_FAULTS);
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "cluster.json", O_RDONLY, 0);
    constexpr int fresh = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "out", fresh, 0600);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "err", fresh, 0600);
    pid_t pid = 0;
    REQUIRE(::posix_spawn(&pid, words.front().c_str(), &actions, nullptr, pointers(words).data(),
                          pointers(environment).data()) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    return pid;
  }

  static constexpr const char* cluster = DSDOCTOR_TESTDATA "/clusters/autoscaler-taint.json";
  testing::CertificateAuthority ca_;
  testing::FakeApi api_{cluster};
  testing::HttpsServer server_{{true, ca_.issue_server()}, api_.handler()};
  fs::path folder_;
};

struct Story {
  const char* name;
  std::vector<std::string> words;
};

const Story file_story{"a file", {"explain", "-A", "-f", "cluster.json"}};
const Story input{"standard input", {"check", "-A", "-f", "-"}};
const Story archive{
    "an archive",
    {"explain", "-A", "-o", "json", "--now", "2026-01-01T00:00:00Z", "-f", "dump.tar.gz"}};
const Story folder{"a folder", {"diff-nodes", "-A", "-f", "dump"}};
const Story snapshot{"a snapshot", {"snapshot", "snap.zst", "-f", "cluster.json"}};
const Story live{"a server", {"explain", "-A"}};

struct Row {
  Story story;
  const char* call;
  std::string fault;  // errno, or "short"
  /// The expected message if the answer differs from that without the fault; empty: it never
  /// differs.
  std::vector<std::string> says;
  int most = 16;  // calls; after the first ones only some are tried
};

std::string of(int error) { return std::to_string(error); }

const std::vector<std::string> nothing;
const std::vector<std::string> no_write = {"writing the answer failed"};
const std::vector<std::string> no_connection = {"Unable to connect", "was refused"};
const std::vector<std::string> no_memory = {"out of memory", "not enough memory"};

std::vector<Row> rows_of_files() {
  std::vector<Row> rows;
  for (const Story& story : {file_story, input, archive, folder}) {
    rows.push_back({story, "read", of(EIO), {"reading failed: Input/output error"}});
    rows.push_back({story, "read", of(EINTR), nothing});
    rows.push_back({story, "read", "short", nothing});
    rows.push_back({story, "write", of(ENOSPC), no_write});
    rows.push_back({story, "write", of(EPIPE), no_write});
    rows.push_back({story, "write", of(EIO), no_write});
    rows.push_back({story, "write", of(EINTR), nothing});
    rows.push_back({story, "write", "short", nothing});
    rows.push_back({story, "malloc", of(ENOMEM), no_memory});
  }
  rows.push_back({archive, "writev", of(ENOSPC), no_write, 4});
  rows.push_back({archive, "writev", of(EINTR), nothing, 4});
  rows.push_back({archive, "writev", "short", nothing, 4});
  for (const Story& story : {file_story, archive, folder}) {
    rows.push_back({story, "fopen", of(EACCES), {"cannot be read: Permission denied"}});
    rows.push_back({story, "fopen", of(EMFILE), {"cannot be read: Too many open files"}});
    rows.push_back({story, "stat", of(EIO), {"cannot be read: Input/output error"}});
  }
  return rows;
}

std::vector<Row> rows_of_snapshots() {
  const auto cannot_be_written = [](const char* why) -> std::vector<std::string> {
    return {std::string("snap.zst: cannot be written: ") + why};
  };
  return {{snapshot, "write", of(ENOSPC), cannot_be_written("No space left on device")},
          {snapshot, "write", of(EIO), cannot_be_written("Input/output error")},
          {snapshot, "write", of(EINTR), nothing},
          {snapshot, "write", "short", nothing},
          {snapshot, "fsync", of(EIO), cannot_be_written("Input/output error")},
          {snapshot, "close", of(EIO), cannot_be_written("Input/output error")},
          {snapshot, "rename", of(EACCES), cannot_be_written("Permission denied")},
          {snapshot, "open", of(EROFS), cannot_be_written("Read-only file system")},
          {snapshot, "stat", of(EIO), {"Input/output error"}},
          {snapshot, "read", of(EIO), {"reading failed: Input/output error"}},
          {snapshot, "malloc", of(ENOMEM), no_memory}};
}

/// Data that cannot be read from a server is an error or an omission.
std::vector<Row> rows_of_server() {
  return {{live, "socket", of(EMFILE), no_connection, 6},
          {live, "connect", of(ECONNREFUSED), no_connection, 6},
          {live, "connect", of(ENETUNREACH), no_connection, 6},
          {live, "recv", of(ECONNRESET), no_connection, 10},
          {live, "recv", "short", nothing, 10},
          {live, "send", of(EPIPE), no_connection, 10},
          {live, "send", of(ECONNRESET), no_connection, 10},
          {live, "send", "short", nothing, 10},
          {live, "poll", of(EINTR), nothing, 10},
          {live, "poll", of(ENOMEM), no_connection, 10},
          {live, "posix_spawn", of(EAGAIN), {"Resource temporarily unavailable"}},
          {live, "pipe2", of(EMFILE), {"Too many open files"}},
          {live, "waitpid", of(EINTR), nothing},
          {live, "open", of(EACCES), {"ermission denied"}, 10},
          {live, "read", of(EIO), {"nput/output error"}, 10},
          {live, "read", of(EINTR), nothing, 10},
          {live, "read", "short", nothing, 10},
          {live, "close", of(EIO), nothing, 10},
          {live, "pthread_create", of(EAGAIN), {"error:"}, 4},
          {live, "malloc", of(ENOMEM), {"memory", "login failed"}, 24}};
}

/// The first calls one by one, later ones with growing gaps.
int call_after(int call) { return call < 12 ? call + 1 : call + call / 5; }

void try_row(const Bench& bench, const Row& row, const FaultOutcome& whole) {
  int tried = 0;
  for (int call = 1; tried < row.most; call = call_after(call)) {
    const std::string fault = std::string(row.call) + " " + std::to_string(call) + " " + row.fault;
    const FaultOutcome got = bench.run(row.story.words, fault);
    if (!bench.was_due()) break;
    ++tried;
    INFO(row.story.name << ": " << fault << "\nexit code " << got.code << "\n"
                        << got.err << got.out);
    const bool same = got.code == whole.code && got.out == whole.out && got.file == whole.file;
    const bool said = std::ranges::any_of(row.says, [&](const std::string& text) {
      return got.err.find(text) != got.err.npos || got.out.find(text) != got.out.npos;
    });
    const bool failed = got.code == 2 && got.err != whole.err;
    // In the answer or on stderr, if the unread data only explains.
    const bool says_that_it_lacks = got.code <= 1 && (got.err != whole.err || got.out != whole.out);
    if (row.story.name == live.name) {
      // Timing decides which request a connection serves and whether a retry follows: the program
      // must end with an answer or an error.
      CHECK(((got.code <= 1 && !got.out.empty()) || (got.code == 2 && got.err != whole.err)));
    } else {
      CHECK((same || (said && (failed || says_that_it_lacks))));
    }
    CHECK((got.file.empty() || got.file == whole.file));
    CHECK(bench.is_tidy());
    CHECK(bench.sent_requests());
  }
  INFO(row.story.name << ": " << row.call << " is never called");
  CHECK(tried > 0);
}

void try_rows(const std::vector<Row>& rows) {
  const Bench bench;
  for (const Row& row : rows) {
    const FaultOutcome whole = bench.run(row.story.words);
    REQUIRE(whole.code <= 1);
    try_row(bench, row, whole);
  }
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which replace the same calls
TEST_CASE("every call on files fails in turn", "[cmd][faults]") { try_rows(rows_of_files()); }
TEST_CASE("every call for snapshots fails in turn", "[cmd][faults]") {
  try_rows(rows_of_snapshots());
}
TEST_CASE("every call to a server fails in turn", "[cmd][faults]") { try_rows(rows_of_server()); }

TEST_CASE("a signal leaves no partial snapshot behind", "[cmd][faults]") {
  const Bench bench;
  for (const std::string call : {"open", "write", "fsync", "close", "rename"}) {
    int tried = 0;
    for (int number = 1; tried < 8; ++number, ++tried) {
      const FaultOutcome got =
          bench.run(snapshot.words, call + " " + std::to_string(number) + " SIGTERM");
      if (!bench.was_due()) break;
      INFO(call << " " << number << ": exit code " << got.code << "\n" << got.err);
      CHECK(got.code == 128 + SIGTERM);
      CHECK(bench.is_tidy());
    }
    CAPTURE(call);
    CHECK(tried > 0);
  }
}

TEST_CASE("a server whose name cannot be resolved is an error", "[cmd][faults]") {
  const Bench bench;
  for (const int fault : {EAI_AGAIN, EAI_NONAME, EAI_FAIL, EAI_MEMORY}) {
    const FaultOutcome got = bench.run({"explain", "-A", "--server=https://cluster.invalid"},
                                       "getaddrinfo 1+ " + std::to_string(fault));
    INFO("exit code " << got.code << "\n" << got.err);
    CHECK(bench.was_due());
    CHECK((got.code == 2 && got.out.empty()));
    CHECK(got.err.find("cluster.invalid") != got.err.npos);
  }
}

TEST_CASE("with too little memory the program fails with one line", "[cmd][faults]") {
  const Bench bench;
  for (const Story& story : {file_story, archive, snapshot, live}) {
    const FaultOutcome whole = bench.run(story.words);
    for (unsigned memory = 200; memory >= 20; memory -= memory / 12) {
      const FaultOutcome got = bench.run(story.words, "", memory);
      INFO(story.name << ": " << memory << " MiB, exit code " << got.code << "\n" << got.err);
      const bool same = got.code == whole.code &&
                        (got.out == whole.out || (story.name == live.name && !got.out.empty()));
      const bool refused = got.code == 2 && got.err != whole.err;
      // Failed in the loader of shared libraries, or in one of them before main.
      const bool not_loaded =
          got.code == 127 ||
          (!same && !refused && bench.run({"version", "--client"}, "", memory).code > 2);
      CHECK((same || refused || not_loaded));
      if (not_loaded) break;
    }
  }
}
#endif

}  // namespace dsdoctor::cmd
