// SPDX-License-Identifier: Apache-2.0
#include "kube/watch/resource_watch.h"

#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::milliseconds;

std::string pod(const std::string& name, const std::string& version) {
  return R"({"metadata":{"namespace":"x","name":")" + name + R"(","resourceVersion":")" + version +
         R"("}})";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string bookmark(const std::string& version) {
  return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + version + R"("}})");
}
std::string end_of_initial(const std::string& version) {
  return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + version +
                               R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}
std::string list(const std::string& version, const std::string& items) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"("},"items":[)" + items + "]}";
}
std::string error_event(int code, const std::string& reason) {
  return event("ERROR", R"({"kind":"Status","message":"said so","reason":")" + reason +
                            R"(","code":)" + std::to_string(code) + "}");
}
FakeAnswer refused(int code, const std::string& reason) {
  return {code, R"({"kind":"Status","status":"Failure","reason":")" + reason +
                    R"(","message":"no","code":)" + std::to_string(code) + "}"};
}

/// Runs a watch against scripted answers until they are used up.
struct WatchSetting {
  FakeClock time;
  std::vector<FakeAnswer> answers;
  WatchSession session;
  WatchTimes times;
  std::chrono::seconds lasts{0};  // each event takes this long
  Lines heard;
  Lines targets;

  void run() {
    // The watch ends when it asks for the answer after the last one.
    std::vector<FakeAnswer> all = answers;
    all.push_back({200, ""});
    FakeTransport transport(all);
    Clock clock = time.clock();
    const auto sleep = clock.sleep;
    clock.sleep = [&](milliseconds wait, const std::atomic<bool>& stop) {
      sleep(wait, stop);
      if (transport.requests.size() >= answers.size()) session.stopped = true;
    };
    clock.random = [&]() -> double {  // before each watch
      if (transport.requests.size() >= answers.size()) session.stopped = true;
      return 0;
    };
    Connection connection;
    connection.request_timeout = std::chrono::seconds(7);
    CredentialSource credentials(connection, {}, clock);
    Client client(connection, transport, credentials, clock);
    ListRequest request{"/api/v1/pods", {}, "pods", decode::Kind::Pod};
    ResourceWatch watch(
        client, session, clock, request,
        [&](const WatchUpdate& update) {
          heard.push_back(line_of(update));
          time.time += lasts;
        },
        times);
    watch.run();
    for (const HttpRequest& sent : transport.requests) {
      targets.push_back(sent.target);
      const bool is_watch = sent.target.find("watch=true") != std::string::npos;
      CHECK((sent.time_limit.count() == 0) == is_watch);
      CHECK((sent.stall > std::chrono::seconds(300)) == is_watch);
      CHECK((sent.target.find("timeout=7s") == std::string::npos) == is_watch);
    }
  }

  static std::string line_of(const WatchUpdate& update) {
    if (const auto* all = std::get_if<Replaced>(&update)) {
      std::string line = "all";
      for (const model::Pod& each : all->cluster.pods) line += " " + each.meta.name.str();
      return line;
    }
    if (const auto* seen = std::get_if<decode::ObjectSeen>(&update)) {
      return "seen " + std::get<model::Pod>(seen->object).meta.name.str();
    }
    if (const auto* gone = std::get_if<decode::ObjectGone>(&update)) return "gone " + gone->name;
    if (const auto* lost = std::get_if<Disconnected>(&update)) {
      return "lost " + std::to_string(lost->failure.status) + ": " + lost->failure.message;
    }
    if (std::holds_alternative<Polling>(update)) return "polling";
    return "connected";
  }
  [[nodiscard]] long asked_with(const std::string& part) const {
    return std::ranges::count_if(
        targets, [&](const auto& target) { return target.find(part) != std::string::npos; });
  }
};

TEST_CASE("a watch begins with the initial events and resumes after its end", "[watch]") {
  WatchSetting s;
  s.answers = {{200, event("ADDED", pod("a", "3")) + event("ADDED", pod("b", "4")) +
                         event("DELETED", pod("a", "5")) + end_of_initial("6") +
                         event("MODIFIED", pod("b", "7")) + bookmark("9")},
               {200, event("ADDED", pod("c", "10"))}};
  s.run();
  CHECK(s.heard == Lines{"all b", "connected", "seen b", "seen c"});
  CHECK(s.asked_with("sendInitialEvents=true") == 1);
  CHECK(s.asked_with("resourceVersionMatch=NotOlderThan") == 1);
  CHECK(s.asked_with("resourceVersion=9") == 1);  // the version of the bookmark
  CHECK(s.asked_with("allowWatchBookmarks=true") == 2);
  CHECK(s.asked_with("timeoutSeconds=300") == 2);
}

TEST_CASE("a server without initial events is remembered", "[watch]") {
  WatchSetting s;
  s.answers = {refused(422, "Invalid"),
               {200, list("5", pod("a", "3"))},
               {200, event("MODIFIED", pod("a", "6")) + error_event(410, "Expired")},
               {200, list("8", pod("a", "6") + "," + pod("b", "7"))},
               {200, event("DELETED", pod("a", "9"))}};
  s.run();
  CHECK(s.session.refuses_initial_events);
  CHECK(s.asked_with("sendInitialEvents") == 1);
  // An expired version is not an outage: the list is read again, and nothing is reported.
  CHECK(s.heard == Lines{"all a", "connected", "seen a", "all a b", "gone a"});
  CHECK(s.asked_with("resourceVersion=8") == 1);
}

TEST_CASE("HTTP 410 leads to another list", "[watch][row 132]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  s.answers = {{200, list("5", pod("a", "3"))},
               refused(410, "Expired"),
               {200, list("8", pod("b", "7"))},
               refused(410, "Expired"),
               {200, list("9", pod("b", "7"))}};
  s.run();
  CHECK(s.heard == Lines{"all a", "connected", "all b", "all b"});
  // A version that is always too old does not lead to lists in rapid succession.
  CHECK(s.time.slept.at(0) == milliseconds(1000));
  CHECK(s.time.slept.at(1) == milliseconds(2000));
}

TEST_CASE("an outage is reported once, with waits that grow", "[watch]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  const FakeAnswer broken{200, "", {}, TransportFault::Refused};
  s.answers = {{200, list("5", pod("a", "3"))},
               broken,
               broken,
               broken,
               broken,
               broken,
               broken,
               broken,
               {200, bookmark("6")},
               {200, event("ADDED", pod("b", "7"))}};
  s.run();
  CHECK(s.heard == Lines{"all a", "connected", "lost 0: the wire broke", "connected", "seen b"});
  const std::vector<milliseconds> first(s.time.slept.begin(), s.time.slept.begin() + 7);
  CHECK(first == std::vector<milliseconds>{
                     milliseconds(1000), milliseconds(2000), milliseconds(4000), milliseconds(8000),
                     milliseconds(16000), milliseconds(30000), milliseconds(30000)});
  CHECK(s.asked_with("resourceVersion=5") == 8);  // resumes where it was
}

TEST_CASE("a server that is not there at the start is reported", "[watch]") {
  WatchSetting s;
  const FakeAnswer broken{200, "", {}, TransportFault::Refused};
  s.answers = {broken, broken, {200, event("ADDED", pod("a", "3")) + end_of_initial("6")}};
  s.run();
  CHECK(s.heard == Lines{"lost 0: the wire broke", "all a", "connected"});
}

TEST_CASE("watches that the server closes immediately are not repeated in haste", "[watch]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  s.answers = {{200, list("5", pod("a", "3"))},
               {200, event("MODIFIED", pod("a", "6"))},
               {200, event("MODIFIED", pod("a", "7"))},
               {200, ""}};
  s.run();
  CHECK(s.heard == Lines{"all a", "connected", "seen a", "seen a"});
  CHECK(s.time.slept ==
        std::vector<milliseconds>{milliseconds(1000), milliseconds(2000), milliseconds(4000)});
  CHECK(s.asked_with("resourceVersion=7") == 1);
}

TEST_CASE("a connection that is cut within an event resumes after the last whole one", "[watch]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  s.answers = {{200, list("5", pod("a", "3"))},
               {200,
                event("MODIFIED", pod("a", "6")) + R"({"type":"ADDED","obj)",
                {{"Content-Type", "application/json"}},
                TransportFault::CutBody},
               {200, event("ADDED", pod("b", "7"))}};
  s.run();
  CHECK(s.heard ==
        Lines{"all a", "connected", "seen a", "lost 0: the wire broke", "connected", "seen b"});
  CHECK(s.asked_with("resourceVersion=6") == 1);
}

TEST_CASE("a watch that a proxy cuts after a minute is not an outage", "[watch]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  s.lasts = std::chrono::seconds(60);
  s.answers = {{200, list("5", pod("a", "3"))},
               {200,
                event("MODIFIED", pod("a", "6")) + R"({"type":"ADDED","obj)",
                {{"Content-Type", "application/json"}},
                TransportFault::CutBody},
               {200, event("ADDED", pod("b", "7"))}};
  s.run();
  CHECK(s.heard == Lines{"all a", "connected", "seen a", "seen b"});
  CHECK(s.asked_with("resourceVersion=6") == 1);
}

TEST_CASE("without RBAC permission to watch, the list is read every ten seconds", "[watch]") {
  WatchSetting s;
  s.answers = {refused(403, "Forbidden"),
               {200, list("5", pod("a", "3"))},
               {200, list("6", pod("b", "6"))},
               {200, list("7", "")}};
  s.run();
  CHECK(s.heard == Lines{"polling", "all a", "all b", "all"});
  CHECK(s.time.slept ==
        std::vector<milliseconds>{milliseconds(10000), milliseconds(10000), milliseconds(10000)});
}

TEST_CASE("without RBAC permission to list, it is tried once a minute", "[watch]") {
  WatchSetting s;
  s.answers = {refused(403, "Forbidden"), refused(403, "Forbidden"), refused(403, "Forbidden"),
               refused(403, "Forbidden")};
  s.run();
  CHECK(s.heard == Lines{"lost 403: no"});
  CHECK(s.time.slept == std::vector<milliseconds>{milliseconds(60000), milliseconds(60000)});
}

TEST_CASE("a body that is not a watch is an outage", "[watch]") {
  WatchSetting s;
  s.session.refuses_initial_events = true;
  s.answers = {{200, list("5", pod("a", "3"))}, {200, "<html>login</html>"}, {200, bookmark("6")}};
  s.run();
  REQUIRE(s.heard.size() == 4);
  CHECK(s.heard[2].starts_with("lost 200: "));
  CHECK(s.heard[3] == "connected");
}

}  // namespace
}  // namespace dsdoctor::kube
