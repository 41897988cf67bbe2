// SPDX-License-Identifier: Apache-2.0

// The output of suggest is pasted into real shells, line by line, as a person would: only the
// commands that it shows are run.

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "process/test_arguments.h"
#include "render/words/style.h"
#include "test_program.h"

namespace dsdoctor::cmd {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view prompt = "@@> ";

struct InteractiveShell {
  std::string name;   // as for --shell
  Words interactive;  // does not read the user's files
};

const std::vector<InteractiveShell> shells = {
    {"bash", {"bash", "--norc", "--noprofile", "-i"}},
    {"zsh", {"zsh", "-f", "-i"}},
    {"fish", {"fish", "--no-config", "-i", "-C", "function fish_prompt; printf '@@> '; end"}}};

bool is_there(const std::string& program) {
  return std::filesystem::exists("/usr/bin/" + program) ||
         std::filesystem::exists("/bin/" + program);
}

/// A home with a kubectl that records its calls.
struct Home {
  std::filesystem::path folder;

  Home() {
    std::string name = (std::filesystem::temp_directory_path() / "dsdoctor-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    std::filesystem::create_directory(folder / "bin");
    const auto kubectl = folder / "bin" / "kubectl";
    std::ofstream(kubectl) << "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" << folder.string()
                           << "/bin/called\n";
    std::filesystem::permissions(kubectl, std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder / "work");
  }
  ~Home() { std::filesystem::remove_all(folder); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  [[nodiscard]] Words environment() const {
    return {"PATH=" + (folder / "bin").string() + ":/usr/bin:/bin",
            "HOME=" + folder.string(),
            "TERM=dumb",
            "LC_ALL=C.UTF-8",
            "PS1=" + std::string(prompt),
            "PS2=more> "};
  }
  /// Reports whether the shell's working folder is still empty.
  [[nodiscard]] bool is_untouched() const { return std::filesystem::is_empty(folder / "work"); }
  [[nodiscard]] std::string called() const {
    std::ifstream stream(folder / "bin" / "called");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

/// A shell on its own terminal.
class TerminalSession {
 public:
  TerminalSession(Words command, const Home& home) {
    Words environment = home.environment();
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> variables = pointers(environment);
    const std::string folder = (home.folder / "work").string();
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      if (::chdir(folder.c_str()) == 0) {
        ::execvpe(arguments.front(), arguments.data(), variables.data());
      }
      ::_exit(127);
    }
    REQUIRE(pid_ > 0);
  }
  ~TerminalSession() {
    ::kill(pid_, SIGKILL);
    ::close(terminal_);
    ::waitpid(pid_, nullptr, 0);
  }
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  /// Reports whether `text` is shown within `limit`, after the text of the previous call.
  bool shows(std::string_view text, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      if (const std::size_t at = screen_.find(text, seen_); at != std::string::npos) {
        seen_ = at + text.size();
        return true;
      }
      pollfd ready{terminal_, POLLIN, 0};
      if (::poll(&ready, 1, 50) <= 0) continue;
      char buffer[4096];
      const ssize_t size = ::read(terminal_, buffer, sizeof(buffer));
      if (size <= 0) return false;
      screen_.append(buffer, static_cast<std::size_t>(size));
    }
    return false;
  }
  void type(std::string_view text) {
    while (!text.empty()) {
      const ssize_t size = ::write(terminal_, text.data(), text.size());
      REQUIRE(size > 0);
      text.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  [[nodiscard]] const std::string& screen() const { return screen_; }

 private:
  int terminal_ = -1;
  pid_t pid_ = 0;
  std::string screen_;
  std::size_t seen_ = 0;
};

/// Pastes the script; reports whether the shell accepts a command after it: no quote is open.
bool paste(const InteractiveShell& shell, const Home& home, std::string_view script) {
  constexpr std::chrono::seconds patience(20);
  constexpr std::chrono::seconds per_line(5);
  TerminalSession session(shell.interactive, home);
  REQUIRE(session.shows(prompt, patience));
  for (const std::string_view line : base::split(script, "\n")) {
    session.type(std::string(line) + "\n");
    // An open quote shows no prompt; then the end is not reached either.
    if (!session.shows(prompt, per_line)) break;
  }
  session.type("printf 'the-%s\\n' end\n");
  const bool ended = session.shows("the-end", per_line);
  INFO(session.screen());
  CHECK(ended);
  return ended;
}

const std::string hostile_texts =
    R"(it's; touch made-1; $(touch made-2) `touch made-3` > made-4 & touch made-5 | touch made-6 )"
    R"(\ ! !! !touch ~ =ls *? {a,b} "quoted" <made-7 # %self)";

/// A Helm-managed DaemonSet on a tainted node, in which every text that the API does not validate
/// is hostile.
std::string hostile_cluster() {
  std::string text;
  for (const char c : hostile_texts) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return R"({"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"kubernetes.io/hostname":"n1"}},
"spec":{"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"}]},
"status":{"conditions":[{"type":"Ready","status":"True"}]}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"},
"spec":{"taints":[{"key":"dedicated","value":")" +
         text +
         R"(","effect":"NoSchedule"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"},
"status":{"conditions":[{"type":"Ready","status":"True"}]}},
{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent","namespace":"mon","uid":"d",
"labels":{"app.kubernetes.io/managed-by":"Helm","helm.sh/chart":")" +
         text + R"("},"annotations":{"meta.helm.sh/release-name":")" + text +
         R"(","meta.helm.sh/release-namespace":"mon"}},
"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},
"spec":{"containers":[{"name":"c","image":")" +
         text + R"("}]}}},"status":{"desiredNumberScheduled":0}},
{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"mon"},
"involvedObject":{"kind":"DaemonSet","name":"agent","namespace":"mon","uid":"d"},"type":"Warning",
"reason":"FailedCreate","message":")" +
         text + R"(","source":{"component":"daemonset-controller"},
"lastTimestamp":"2026-11-22T16:30:00Z","count":3},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"mon","uid":"p",
"labels":{"app":"a"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"agent",
"uid":"d","controller":true}]},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]},
"status":{"phase":"Running","containerStatuses":[{"name":"c","ready":false,"restartCount":9,
"state":{"waiting":{"reason":"CrashLoopBackOff","message":")" +
         text + R"("}},"lastState":{"terminated":{"exitCode":1,"message":")" + text +
         R"("}}}]}}]})";
}

std::string suggested(const Words& where, const std::string& shell, const std::string& input = {}) {
  Words words = {"suggest", "-A", "--shell", shell};
  words.insert(words.end(), where.begin(), where.end());
  return run_program(words, {}, {}, input).out;
}

/// All scripts for one shell, one after the other.
std::string scripts_for(const std::string& shell) {
  std::string result = suggested({"-f", "-"}, shell, hostile_cluster());
  for (const char* name :
       {"zsh-comment", "arg-injection", "c1-bidi-command", "powershell-quotes"}) {
    result += suggested({"-f", DSDOCTOR_TESTDATA "/hostile/" + std::string(name) + ".json"}, shell);
  }
  return result;
}

}  // namespace

TEST_CASE("a pasted script of suggest executes no text of the cluster", "[cmd][paste]") {
  for (const InteractiveShell& shell : shells) {
    if (!is_there(shell.name)) continue;
    CAPTURE(shell.name);
    const std::string script = scripts_for(shell.name);
    INFO(script);
    REQUIRE(script.find("made-5") != std::string::npos);
    const Home home;
    CHECK(paste(shell, home, script));
    CHECK(home.is_untouched());
    // Each shown command is on its own line.
    std::size_t shown = 0;
    for (const std::string_view line : base::split(script, "\n")) {
      const bool is_command = line.starts_with("kubectl ");
      CHECK((line.empty() || line.starts_with("# ") || is_command));
      if (is_command) ++shown;
    }
    const std::string called = home.called();
    CHECK(static_cast<std::size_t>(std::ranges::count(called, '\n')) == shown);
    CHECK(called.find("made") == std::string::npos);
  }
}

TEST_CASE("a script of suggest succeeds in spite of hostile text", "[cmd][paste]") {
  for (const InteractiveShell& shell : shells) {
    if (!is_there(shell.name)) continue;
    CAPTURE(shell.name);
    const Home home;
    const auto file = home.folder / "script";
    std::ofstream(file) << scripts_for(shell.name) << suggested({"--demo"}, shell.name);
    const std::string line =
        "cd " + (home.folder / "work").string() + " && PATH=" + (home.folder / "bin").string() +
        ":/usr/bin:/bin HOME=" + home.folder.string() + " " + shell.name + " " + file.string();
    CHECK(std::system(line.c_str()) == 0);
    CHECK(home.is_untouched());
    CHECK_FALSE(home.called().empty());
  }
}

TEST_CASE("a command that continues on the next line can be pasted", "[cmd][paste]") {
  const std::string command =
      "kubectl --namespace mon patch daemonset agent --type=json "
      R"(--patch='[{"op":"test","path":"/spec/a","value":"b,\"c"},{"op":"remove","path":"/d"}]')"
      " --dry-run=server";
  render::Style style;
  style.width = 60;
  style.rows = 24;
  for (const InteractiveShell& shell : shells) {
    if (!is_there(shell.name)) continue;
    const std::string text = render::command_text(style, {.indent = 4, .lead = 2}, command);
    CAPTURE(shell.name, text);
    REQUIRE(std::ranges::count(text, '\n') >= 2);
    const auto called_with = [&](const std::string& pasted) {
      constexpr std::chrono::seconds patience(20);
      const Home home;
      TerminalSession session(shell.interactive, home);
      REQUIRE(session.shows(prompt, patience));
      session.type(pasted + "\nprintf 'the-%s\\n' end\n");
      CHECK(session.shows("the-end", patience));
      std::string called = home.called();
      std::erase_if(called, [](char c) { return c == ' ' || c == '\n'; });
      return called;
    };
    const std::string expected = called_with(command);
    CHECK(expected.find("remove") != std::string::npos);
    CHECK(called_with(text) == expected);
  }
}

TEST_CASE("the test detects text that a shell executes", "[cmd][paste]") {
  for (const InteractiveShell& shell : shells) {
    if (!is_there(shell.name)) continue;
    CAPTURE(shell.name);
    const Home home;
    CHECK(paste(shell, home, "kubectl get pods; touch made-1\n"));
    CHECK_FALSE(home.is_untouched());
    CHECK(home.called() == "get pods\n");
  }
}

}  // namespace dsdoctor::cmd
