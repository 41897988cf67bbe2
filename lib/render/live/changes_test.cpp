// SPDX-License-Identifier: Apache-2.0
#include "render/live/changes.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace dsdoctor::render {
namespace {

using Catch::Matchers::Contains;
using Lines = std::vector<std::string>;
using std::chrono::seconds;

const model::Time start = *base::parse_rfc3339("2026-11-21T02:41:07Z");

LiveProblem quota(std::size_t placements, const std::string& action = "needed") {
  return {"create-quota-exceeded=x/q",
          "create-quota-exceeded",
          "error",
          action,
          "FailedCreate: exceeded quota q",
          "x/agent, " + std::to_string(placements) + " nodes",
          placements};
}

LiveState state_at(long after, std::vector<LiveProblem> problems, const std::string& summary) {
  LiveState state;
  state.time = start + seconds(after);
  state.scope = "prod  5 nodes";
  state.summary = summary;
  state.problems = std::move(problems);
  return state;
}

Lines lines_of(LiveLog& log, LiveState state) {
  const LiveUpdate update = log.add(std::move(state));
  return change_lines(update, log.state(), Style());
}

TEST_CASE("each change of a problem has a line", "[live]") {
  LiveLog log;
  CHECK(lines_of(log, state_at(0, {}, "nothing wrong")) ==
        Lines{"02:41:07 = nothing wrong  prod  5 nodes"});
  CHECK(lines_of(log, state_at(5, {}, "nothing wrong")).empty());
  CHECK(lines_of(log, state_at(10, {quota(29)}, "1 problem needs action")) ==
        Lines{"02:41:17 + error FailedCreate: exceeded quota q  x/agent, 29 nodes  "
              "create-quota-exceeded=x/q",
              "02:41:17 = 1 problem needs action"});
  CHECK(lines_of(log, state_at(20, {quota(12)}, "1 problem needs action")) ==
        Lines{"02:41:27 ~ error FailedCreate: exceeded quota q  29 → 12 placements  x/agent, 12 "
              "nodes  create-quota-exceeded=x/q"});
  CHECK(lines_of(log, state_at(30, {quota(12, "overdue")}, "1 problem needs action")) ==
        Lines{"02:41:37 ~ error FailedCreate: exceeded quota q  overdue  x/agent, 12 nodes  "
              "create-quota-exceeded=x/q"});
  CHECK(lines_of(log, state_at(250, {}, "nothing wrong")) ==
        Lines{"02:45:17 - error FailedCreate: exceeded quota q  resolved after 4m  "
              "create-quota-exceeded=x/q",
              "02:45:17 = nothing wrong"});
}

TEST_CASE("ages in a title are not compared", "[live]") {
  LiveLog log;
  LiveProblem problem = quota(3);
  (void)log.add(state_at(0, {problem}, "1 problem needs action"));
  problem.title += "; last rejected 5s ago";
  CHECK(log.add(state_at(5, {problem}, "1 problem needs action")).empty());
  CHECK(log.state().problems[0].title == problem.title);  // but it is shown
}

TEST_CASE("a problem that resolves without action is reported if it lasts", "[live]") {
  LiveLog log;
  (void)log.add(state_at(0, {}, "nothing wrong"));
  const LiveProblem brief = quota(1, "none");
  CHECK(lines_of(log, state_at(1, {brief}, "1 problem resolves without action")).empty());
  CHECK(log.held_until() == model::OptionalTime(start + seconds(4)));
  SECTION("it is gone") {
    CHECK(lines_of(log, state_at(2, {}, "nothing wrong")).empty());
    CHECK_FALSE(log.held_until());
    CHECK(lines_of(log, state_at(9, {brief}, "1 problem resolves without action")).empty());
  }
  SECTION("it lasts") {
    CHECK(lines_of(log, state_at(3, {brief}, "1 problem resolves without action")).empty());
    CHECK(lines_of(log, state_at(4, {brief}, "1 problem resolves without action")) ==
          Lines{"02:41:11 + error FailedCreate: exceeded quota q  x/agent, 1 nodes  resolves "
                "without action  create-quota-exceeded=x/q",
                "02:41:11 = 1 problem resolves without action"});
    CHECK_FALSE(log.held_until());
  }
  SECTION("it needs action meanwhile") {
    CHECK(lines_of(log, state_at(2, {quota(1)}, "1 problem needs action")).size() == 2);
  }
}

TEST_CASE("without an answer, the last state stays", "[live]") {
  LiveLog log;
  (void)log.add(state_at(0, {quota(1)}, "1 problem needs action"));
  LiveState lost;
  lost.time = start + seconds(5);
  lost.failure = "not found\x1b[2J";
  CHECK(lines_of(log, lost) == Lines{"02:41:12 ! not found^[[2J"});
  CHECK(lines_of(log, lost).empty());
  CHECK(log.state().problems.size() == 1);
  CHECK(lines_of(log, state_at(9, {quota(1)}, "1 problem needs action")) ==
        Lines{"02:41:16 = 1 problem needs action"});
}

TEST_CASE("a recording leads to the same states", "[live]") {
  std::vector<LiveState> states;
  states.push_back(state_at(0, {}, "nothing wrong"));
  states.push_back(state_at(10, {quota(29)}, "1 problem needs action"));
  states.back().daemon_sets = {{"x/agent", {"5", "5", "0", "0", "0"}}};
  states.push_back(state_at(20, {quota(12)}, "1 problem needs action"));
  states.back().daemon_sets = {{"x/agent", {"5", "3", "2", "0", "0"}}};
  states.back().omissions = {"events are not read"};
  states.push_back(state_at(30, {}, "nothing wrong"));
  LiveLog log;
  LiveReplay replay("file");
  for (const LiveState& state : states) {
    const LiveUpdate update = log.add(state);
    for (const std::string& line : change_documents(update, log.state())) {
      CHECK(line.find('\n') == line.npos);
      CHECK(nlohmann::json::parse(line).contains("time"));
      REQUIRE(replay.read(line));
    }
  }
  REQUIRE(replay.read(notice_document(start + seconds(40), "live again after 2s", true)));
  const std::vector<LiveState> again = replay.take();
  REQUIRE(again.size() == states.size() + 1);
  for (std::size_t i = 0; i < states.size(); ++i) {
    INFO(i);
    CHECK(again[i].time == states[i].time);
    CHECK(again[i].summary == states[i].summary);
    CHECK(again[i].scope == states[i].scope);
    CHECK(again[i].problems == states[i].problems);
    CHECK(again[i].daemon_sets == states[i].daemon_sets);
    CHECK(again[i].omissions == states[i].omissions);
  }
}

TEST_CASE("other lines than those of a recording are an error", "[live]") {
  const auto error = [](const Lines& lines) {
    LiveReplay replay("rec.jsonl");
    for (const std::string& line : lines) {
      if (const auto status = replay.read(line); !status) return to_string(status.error());
    }
    return std::string();
  };
  const std::string good = R"({"time":"2026-11-21T02:41:07Z","type":"STATUS","summary":"x"})";
  CHECK(error({good, "", good}).empty());
  CHECK_THAT(error({good, "{"}), Contains("rec.jsonl:2: not a JSON object; expected a line that"));
  CHECK_THAT(error({"[]"}), Contains("rec.jsonl:1: not a JSON object"));
  CHECK_THAT(error({R"({"type":"STATUS"})"}), Contains("rec.jsonl:1: no time"));
  CHECK_THAT(error({R"({"time":"2026-11-21T02:41:07Z","type":"x"})"}),
             Contains("unknown type \"x\""));
  CHECK_THAT(error({R"({"time":"2026-11-21T02:41:07Z","type":"ADDED"})"}),
             Contains("no problem with an id"));
  CHECK_THAT(error({good, R"({"time":"2026-11-21T02:41:06Z","type":"STATUS"})"}),
             Contains("rec.jsonl:2: the time is before that of the line above"));
}

TEST_CASE("texts of a recording cannot write to the terminal", "[live]") {
  LiveReplay replay("file");
  REQUIRE(replay.read(
      R"({"time":"2026-11-21T02:41:07Z","type":"ADDED","problem":{"id":"a\u001b[2J","title":"b\nc",)"
      R"("details":["d\u0007"],"command":"e\r"}})"));
  const auto states = replay.take();
  REQUIRE(states.size() == 1);
  const LiveProblem& problem = states[0].problems.at(0);
  CHECK(problem.id == "a^[[2J");
  CHECK(problem.title == "b\\nc");
  CHECK(problem.details == Lines{"dU+0007"});
  CHECK(problem.command == "e\\r");
}

}  // namespace
}  // namespace dsdoctor::render
