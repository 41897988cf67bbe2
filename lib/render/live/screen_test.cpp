// SPDX-License-Identifier: Apache-2.0
#include "render/live/screen.h"

#include <catch2/catch.hpp>

namespace dsdoctor::render {
namespace {

using Catch::Matchers::Contains;
using Lines = std::vector<std::string>;
using std::chrono::seconds;

const model::Time opened_at = *base::parse_rfc3339("2026-11-21T02:41:07Z");

LiveProblem problem_of(const std::string& id, const std::string& severity = "error") {
  LiveProblem problem;
  problem.id = id;
  problem.finding = id;
  problem.severity = severity;
  problem.action = "needed";
  problem.title = "title of " + id;
  problem.affected = "x/" + id + ", 1 node: n-" + id;
  problem.placements = 1;
  problem.nodes = {"n-" + id};
  problem.daemon_sets = {"x/" + id};
  problem.details = {"fix: look at it", "evidence: Node/n-" + id + " spec: 1"};
  problem.command = "kubectl get " + id;
  return problem;
}

/// A screen that is fed with states, as a program does it.
struct View {
  LiveLog log;
  Screen screen{Presentation{}};
  model::Time now = opened_at;

  void add(std::vector<LiveProblem> problems, long after = 0) {
    now = opened_at + seconds(after);
    LiveState state;
    state.time = now;
    state.scope = "prod  5 nodes";
    state.summary = problems.empty() ? "nothing wrong" : "something is wrong";
    for (const LiveProblem& each : problems) {
      state.daemon_sets.push_back({each.daemon_sets[0], {"5", "4", "1", "0", "0"}});
    }
    state.problems = std::move(problems);
    const LiveUpdate update = log.add(state);
    screen.set_liveness({.text = "live"});
    screen.apply(update, log.state());
  }
  [[nodiscard]] Lines frame(std::size_t columns = 80, std::size_t rows = 24) const {
    return screen.frame(columns, rows, now);
  }
  [[nodiscard]] std::string text(std::size_t columns = 80, std::size_t rows = 24) const {
    std::string result;
    for (const std::string& line : frame(columns, rows)) result += line + "\n";
    return result;
  }
};

TEST_CASE("a screen has the sentence, the problems and the table", "[live][screen]") {
  View view;
  view.add({problem_of("a"), problem_of("b", "warning")});
  const Lines frame = view.frame();
  REQUIRE(frame.size() == 24);
  CHECK(frame[0] == "something is wrong" + std::string(56, ' ') + "  live");
  CHECK(frame[1] == "prod  5 nodes");
  CHECK(frame[3] == ">   error    title of a: x/a, 1 node: n-a");
  CHECK(frame[4] == "    warning  title of b: x/b, 1 node: n-b");
  CHECK(frame[6] == "  DAEMONSET  DESIRED  READY  MISSING  MISSCHEDULED  NOT ELIGIBLE");
  CHECK(frame[7] == "  x/a              5      4        1             0             0");
  CHECK_THAT(frame[23], Contains("Enter open"));
}

TEST_CASE("no line is wider and no frame is higher than the terminal", "[live][screen]") {
  View view;
  std::vector<LiveProblem> problems;
  for (int i = 0; i < 60; ++i) {
    problems.push_back(problem_of(std::string(60, 'p') + std::to_string(i)));
    problems.back().title = std::string(300, i % 2 == 0 ? 't' : ' ') + "é";
  }
  view.add(problems);
  const std::string keys =
      GENERATE("", "d", "n", "?", "\r", "/ti", "/ti\r", "jjjj\r", "d\r", "n\r");
  (void)view.screen.press(keys);
  for (const std::size_t columns : {1, 5, 20, 29, 30, 40, 80, 200}) {
    for (const std::size_t rows : {1, 2, 5, 6, 7, 10, 24, 100}) {
      const Lines frame = view.frame(columns, rows);
      INFO(keys << " " << columns << "x" << rows);
      CHECK(frame.size() <= rows);
      for (const std::string& line : frame) CHECK(columns_of(line) <= columns);
    }
  }
  CHECK(view.frame(0, 0).empty());
  CHECK_THAT(view.text(20, 5), Contains("needs 30x6"));
}

TEST_CASE("changed problems are marked, and resolved ones stay for a minute", "[live][screen]") {
  View view;
  view.add({problem_of("a")});
  CHECK_THAT(view.text(), Contains(">   error    title of a"));  // not new
  LiveProblem more = problem_of("a");
  more.placements = 29;
  view.add({more, problem_of("b")}, 100);
  CHECK_THAT(view.text(), Contains("> ~ error    title of a (1 → 29)"));
  CHECK_THAT(view.text(), Contains("  + error    title of b"));
  view.now += seconds(11);
  CHECK_THAT(view.text(), Contains(">   error    title of a: "));
  view.add({problem_of("b")}, 120);
  CHECK_THAT(view.text(), Contains("- error    title of a: resolved 0s ago"));
  view.now += seconds(59);
  CHECK_THAT(view.text(), Contains("- error    title of a: resolved 59s ago"));
  view.now += seconds(2);
  CHECK_THAT(view.text(), !Contains("title of a"));
  view.add({problem_of("a"), problem_of("b")}, 190);
  CHECK_THAT(view.text(), !Contains("resolved"));
}

TEST_CASE("a problem that resolves by itself counts down", "[live][screen]") {
  View view;
  LiveProblem problem = problem_of("a", "info");
  problem.action = "none";
  problem.resolves_at = opened_at + seconds(480);
  view.add({problem});
  CHECK_THAT(view.text(), Contains("title of a (resolves in 8m)"));
  view.now += seconds(60);
  CHECK_THAT(view.text(), Contains("title of a (resolves in 7m)"));
  view.now += seconds(600);
  CHECK_THAT(view.text(), Contains("title of a (overdue for 3m)"));
}

TEST_CASE("keys choose and open", "[live][screen]") {
  View view;
  view.add({problem_of("a"), problem_of("b"), problem_of("c")});
  const auto press = [&](std::string_view keys) { return view.screen.press(keys); };
  (void)press("j\x1b[B");
  CHECK_THAT(view.text(), Contains(">   error    title of c"));
  (void)press("jjk");  // the last line is the last
  CHECK_THAT(view.text(), Contains(">   error    title of b"));
  (void)press("\r");
  CHECK_THAT(view.text(), Contains("fix: look at it\nevidence: Node/n-b spec: 1\n"));
  CHECK_THAT(view.text(), Contains("command: kubectl get b\nid: b\n"));
  const auto copied = press("c");
  REQUIRE(copied.size() == 1);
  CHECK(copied[0].kind == ScreenAction::Kind::Copy);
  CHECK(copied[0].text == "kubectl get b");
  CHECK_THAT(view.text(), Contains("copied: kubectl get b"));
  CHECK(press("\x1b").empty());
  CHECK_THAT(view.text(), Contains(">   error    title of b"));
  SECTION("the chosen problem stays chosen when others come and go") {
    view.add({problem_of("z"), problem_of("b")}, 5);
    CHECK_THAT(view.text(), Contains(">   error    title of b"));
    view.add({problem_of("z")}, 10);
    CHECK_THAT(view.text(), Contains("- error    title of b: resolved"));
  }
  SECTION("DaemonSets and nodes") {
    (void)press("dj\r");
    CHECK_THAT(view.text(), Contains("DaemonSet x/b\n\nerror  title of b\n"));
    (void)press(
        "\x1b"
        "n\r");
    CHECK_THAT(view.text(), Contains("node n-a\n\nerror  title of a\n"));
    CHECK(press("\x1b").empty());
    CHECK(press("\x1b").empty());  // back to the problems
    CHECK(press("\x1b").at(0).kind == ScreenAction::Kind::Quit);
  }
  SECTION("a filter") {
    (void)press("/TITLE OF C");
    CHECK_THAT(view.text(), Contains("/TITLE OF C_"));
    (void)press("\r");
    CHECK_THAT(view.text(), Contains(">   error    title of c"));
    CHECK_THAT(view.text(), !Contains("title of a"));
    CHECK_THAT(view.text(), Contains("filter: TITLE OF C"));
    (void)press("/\x7f\x7fq");  // q is a letter here
    CHECK_THAT(view.text(), Contains("/TITLE OFq_"));
    CHECK(press("\x1b").empty());
    CHECK_THAT(view.text(), Contains("title of a"));
  }
  SECTION("a snapshot, help and the end") {
    CHECK(press("s").at(0).kind == ScreenAction::Kind::Snapshot);
    CHECK(press("?q").empty());  // any key leaves the help
    CHECK(press("q").at(0).kind == ScreenAction::Kind::Quit);
  }
}

TEST_CASE("a paused screen does not change, and then shows the last state", "[live][screen]") {
  View view;
  view.add({problem_of("a")});
  (void)view.screen.press("p");
  CHECK_THAT(view.frame()[0], Contains("paused"));
  view.add({problem_of("b")}, 5);
  CHECK_THAT(view.text(), !Contains("title of b"));
  (void)view.screen.press("p");
  CHECK_THAT(view.text(), Contains("title of b"));
  CHECK_THAT(view.frame()[0], Contains("live"));
}

TEST_CASE("resolved problems are struck through in colors", "[live][screen]") {
  View view;
  Presentation style;
  style.color = true;
  view.screen = Screen(style);
  view.add({problem_of("a")});
  view.add({}, 5);
  CHECK_THAT(view.text(), Contains("\x1b[9m> - error    title of a: resolved 0s ago\x1b[29m"));
  for (const std::string& line : view.frame(40, 10)) CHECK(columns_of(line) <= 40);
}

}  // namespace
}  // namespace dsdoctor::render
