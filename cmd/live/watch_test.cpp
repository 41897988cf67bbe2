// SPDX-License-Identifier: Apache-2.0
#include "live/watch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "test_live_cluster.h"

namespace dsdoctor::cmd {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

json node_object(const std::string& name, const json& taints = json::array()) {
  return {{"kind", "Node"},
          {"apiVersion", "v1"},
          {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
          {"spec", {{"taints", taints}}},
          {"status", {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

json daemon_set_object(std::int64_t generation = 1, const std::string& strategy = "RollingUpdate") {
  return {{"kind", "DaemonSet"},
          {"apiVersion", "apps/v1"},
          {"metadata",
           {{"name", "agent"}, {"namespace", "x"}, {"uid", "u-agent"}, {"generation", generation}}},
          {"spec",
           {{"selector", {{"matchLabels", {{"app", "agent"}}}}},
            {"updateStrategy", {{"type", strategy}}},
            {"template",
             {{"metadata", {{"labels", {{"app", "agent"}}}}},
              {"spec", {{"containers", {{{"name", "main"}, {"image", "a"}}}}}}}}}},
          {"status",
           {{"observedGeneration", generation},
            {"desiredNumberScheduled", 2},
            {"currentNumberScheduled", 2},
            {"numberReady", 2},
            {"numberAvailable", 2},
            {"updatedNumberScheduled", 2}}}};
}

json revision_object(const std::string& hash, std::int64_t revision, const std::string& image) {
  return {{"kind", "ControllerRevision"},
          {"apiVersion", "apps/v1"},
          {"metadata",
           {{"name", "agent-" + hash},
            {"namespace", "x"},
            {"labels", {{"controller-revision-hash", hash}, {"app", "agent"}}},
            {"ownerReferences",
             {{{"kind", "DaemonSet"},
               {"apiVersion", "apps/v1"},
               {"name", "agent"},
               {"uid", "u-agent"},
               {"controller", true}}}}}},
          {"data",
           {{"spec",
             {{"template",
               {{"$patch", "replace"},
                {"metadata", {{"labels", {{"app", "agent"}}}}},
                {"spec", {{"containers", {{{"name", "main"}, {"image", image}}}}}}}}}}}},
          {"revision", revision}};
}

json pod_object(const std::string& node, bool ready = true, const std::string& hash = "h1") {
  return {{"kind", "Pod"},
          {"apiVersion", "v1"},
          {"metadata",
           {{"name", "agent-" + node},
            {"namespace", "x"},
            {"creationTimestamp", "2026-01-01T00:00:00Z"},
            {"labels", {{"app", "agent"}, {"controller-revision-hash", hash}}},
            {"ownerReferences",
             {{{"kind", "DaemonSet"},
               {"apiVersion", "apps/v1"},
               {"name", "agent"},
               {"uid", "u-agent"},
               {"controller", true}}}}}},
          {"spec", {{"nodeName", node}, {"containers", {{{"name", "main"}, {"image", "a"}}}}}},
          {"status",
           {{"phase", "Running"},
            {"conditions",
             {{{"type", "Ready"},
               {"status", ready ? "True" : "False"},
               {"lastTransitionTime", "2026-01-01T00:00:00Z"}}}}}}};
}

/// Two nodes with a pod each.
struct Small : LiveCluster {
  Small() : LiveCluster("", "x") {
    for (const char* name : {"n1", "n2"}) {
      api().add(node_object(name).dump());
      api().add(pod_object(name).dump());
    }
    api().add(daemon_set_object().dump());
    api().add(revision_object("h1", 1, "a").dump());
  }
  void taint() { api().set(node_object("n2", {{{"key", "k"}, {"effect", "NoSchedule"}}}).dump()); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Lines without their time.
std::vector<std::string> marks_of(const std::string& text) {
  std::vector<std::string> result = lines_of(text);
  for (std::string& line : result) {
    REQUIRE(line.size() > 9);
    line.erase(0, 9);
  }
  return result;
}

/// Does `change` once the first line is there.
class Then {
 public:
  Then(std::function<bool(const std::string&)> is_enough,
       std::vector<std::function<void()>> changes)
      : is_enough_(std::move(is_enough)), changes_(std::move(changes)) {}
  /// Each change happens once there are more lines than before it.
  bool operator()(const std::string& out) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(out, '\n'));
    if (next_ < changes_.size() && lines > lines_) {
      lines_ = lines;
      changes_[next_++]();
    }
    return is_enough_(out);
  }

 private:
  std::function<bool(const std::string&)> is_enough_;
  std::vector<std::function<void()>> changes_;
  std::size_t next_ = 0;
  std::size_t lines_ = 0;
};

TEST_CASE("changes are lines in a pipe", "[watch]") {
  Small cluster;
  const auto ended = [](const std::string& out) { return out.find(" - ") != out.npos; };
  Then then(ended,
            {[&] { cluster.taint(); }, [&] { cluster.api().set(node_object("n2").dump()); }});
  const auto ran =
      cluster.run_until({"check", "-A", "-w"}, [&](const std::string& out) { return then(out); });
  const auto marks = marks_of(ran.out);
  REQUIRE(marks.size() >= 4);
  CHECK_THAT(marks[0], Contains("= nothing wrong: 1 DaemonSet healthy  c1  Kubernetes v1.36.2"));
  CHECK(marks[1] ==
        "+ warning misscheduled: taint k:NoSchedule is not tolerated  x/agent, 1 node: "
        "n2  pod-misscheduled=k:NoSchedule");
  CHECK_THAT(marks[2], Contains("= 1 problem needs action"));
  CHECK_THAT(marks[3], Contains("- warning misscheduled: taint k:NoSchedule is not tolerated  "
                                "resolved after"));
  CHECK(ran.code == 0);
  CHECK(ran.err.find("warning") == ran.err.rfind("warning"));  // one warning, about insecure TLS
}

TEST_CASE("changes are JSON objects that can be replayed", "[watch]") {
  Small cluster;
  const auto ended = [](const std::string& out) { return out.find("RESOLVED") != out.npos; };
  Then then(ended,
            {[&] { cluster.taint(); }, [&] { cluster.api().set(node_object("n2").dump()); }});
  const auto ran = cluster.run_until({"check", "-A", "-w", "-o", "json"},
                                     [&](const std::string& out) { return then(out); });
  std::vector<std::string> types;
  for (const std::string& line : lines_of(ran.out)) {
    const json object = json::parse(line);
    types.push_back(object["type"]);
    if (object["type"] == "ADDED") {
      CHECK(object["id"] == "pod-misscheduled=k:NoSchedule");
      CHECK(object["problem"]["id"] == object["id"]);
      CHECK(object["problem"]["nodes"] == json{"n2"});
      CHECK(object["problem"]["daemonSets"] == json{"x/agent"});
      CHECK(object["problem"]["placements"] == 1);
    }
  }
  CHECK(types[0] == "STATUS");
  CHECK(types[1] == "ADDED");
  CHECK(std::ranges::find(types, "RESOLVED") != types.end());
  const Ran again = run_program({"check", "--replay", "-"}, {}, {}, ran.out);
  CHECK(again.code == 0);
  CHECK_THAT(again.out, Contains(" + warning misscheduled: taint k:NoSchedule is not tolerated"));
  CHECK_THAT(again.out, Contains(" - warning misscheduled"));
  const Ran copied = run_program({"check", "--replay", "-", "-o", "json"}, {}, {}, ran.out);
  CHECK_THAT(copied.out, Contains(R"("type":"RESOLVED")"));
}

TEST_CASE("the state at the beginning is left out with --watch-only", "[watch]") {
  Small cluster;
  cluster.taint();
  std::atomic<int> calls = 0;
  const auto ran = cluster.run_until({"check", "-A", "--watch-only"}, [&](const std::string& out) {
    if (++calls == 3) cluster.api().set(node_object("n2").dump());
    return out.find(" = ") != out.npos;
  });
  const auto marks = marks_of(ran.out);
  REQUIRE(marks.size() == 2);
  CHECK_THAT(marks[0], Contains("- warning misscheduled"));
  CHECK_THAT(marks[1], Contains("= nothing wrong"));
}

TEST_CASE("commands watch what they select", "[watch]") {
  Small cluster;
  const auto words = GENERATE(values<std::vector<std::string>>({{"explain", "agent"},
                                                                {"explain", "ds/agent"},
                                                                {"explain", "x/agent"},
                                                                {"explain", "pod/agent-n2"},
                                                                {"explain", "agent-n2"},
                                                                {"explain", "node/n2"},
                                                                {"explain", "-A"},
                                                                {"check", "agent"},
                                                                {"diff-nodes"}}));
  std::vector<std::string> all = words;
  all.insert(all.end(), {"-w"});
  std::atomic<int> calls = 0;
  const auto ran = cluster.run_until(all, [&](const std::string& out) {
    if (++calls == 2) cluster.taint();
    return out.find(" + ") != out.npos;
  });
  INFO(fmt::format("{}", fmt::join(words, " ")) + "\n" + ran.err);
  CHECK_THAT(ran.out, Contains(" + warning misscheduled: taint k:NoSchedule is not tolerated"));
}

TEST_CASE("a deleted DaemonSet is reported, and can come back", "[watch]") {
  Small cluster;
  const auto ended = [](const std::string& out) { return std::ranges::count(out, '=') >= 2; };
  Then then(ended, {[&] { cluster.api().remove("DaemonSet", "x", "agent"); },
                    [&] { cluster.api().set(daemon_set_object().dump()); }});
  const auto ran = cluster.run_until({"explain", "ds/agent", "-w"},
                                     [&](const std::string& out) { return then(out); });
  const auto marks = marks_of(ran.out);
  REQUIRE(marks.size() == 3);
  CHECK(marks[1] == "! daemonsets.apps \"agent\" not found in namespace \"x\"");
  CHECK_THAT(marks[2], Contains("= nothing wrong: 1 DaemonSet healthy"));
}

TEST_CASE("missing RBAC permissions are named", "[watch]") {
  Small cluster;
  SECTION("no right to watch one of five resources") {
    cluster.api().forbid_watch("/api/v1/nodes");
    const auto ran = cluster.run_until({"check", "-A", "-w"}, [](const std::string& out) {
      return std::ranges::count(out, '\n') >= 2;
    });
    CHECK_THAT(ran.out, Contains("nothing wrong: 1 DaemonSet healthy"));
    CHECK_THAT(ran.out, Contains(" ! nodes are read every 10s: you may list, but not watch them"));
  }
  SECTION("no right to list one of five resources") {
    cluster.api().forbid("/api/v1/nodes");
    const auto ran = cluster.run_until(
        {"check", "-A", "-w"}, [](const std::string& out) { return out.find(" ! ") != out.npos; });
    CHECK_THAT(ran.out, !Contains("healthy"));
    CHECK_THAT(ran.out, Contains("nodes is forbidden"));
  }
  SECTION("no right to list DaemonSets") {
    cluster.api().forbid("/apis/apps/v1/daemonsets");
    const auto ran =
        cluster.run_until({"check", "-A", "-w"}, [](const std::string&) { return false; });
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, Contains("Error from server (Forbidden)"));
  }
}

LiveCluster::Answer wait_for(Small& cluster, const std::vector<std::string>& words,
                             const std::function<void()>& change = {}) {
  std::atomic<int> calls = 0;
  return cluster.run_until(words, [&](const std::string&) {
    if (++calls == 2 && change) change();
    return false;
  });
}

TEST_CASE("a state is waited for with --until", "[watch][until]") {
  Small cluster;
  SECTION("reached at the start") {
    for (const char* until : {"healthy", "resolved", "resolved=pod-misscheduled", "rolled-out"}) {
      const auto ran = wait_for(cluster, {"check", "-A", "--until", until});
      CHECK(ran.code == 0);
      CHECK(marks_of(ran.out) == std::vector<std::string>{std::string("= reached: ") + until});
    }
  }
  SECTION("reached after a change") {
    cluster.taint();
    const std::string until = GENERATE("healthy", "resolved", "resolved=pod-misscheduled",
                                       "resolved=pod-misscheduled=k:NoSchedule");
    const auto ran = wait_for(cluster, {"check", "-A", "--until", until, "--timeout", "20s"},
                              [&] { cluster.api().set(node_object("n2").dump()); });
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, Contains(" - warning misscheduled"));
    CHECK_THAT(ran.out, Contains("= reached: " + until));
    CHECK_THAT(ran.out, !Contains(" + "));
  }
  SECTION("the time is over") {
    cluster.taint();
    const std::string until = GENERATE("healthy", "resolved", "resolved=pod-misscheduled");
    const auto ran = wait_for(cluster, {"check", "-A", "--until", until, "--timeout", "2s"});
    CHECK(ran.code == 1);
    const auto marks = marks_of(ran.out);
    REQUIRE(marks.size() == 2);
    CHECK_THAT(marks[0], Contains("! timed out after 2s: " + until));
    CHECK_THAT(marks[1], Contains("! warning misscheduled: taint k:NoSchedule is not tolerated"));
  }
  SECTION("ignored problems do not count") {
    cluster.taint();
    CHECK(wait_for(cluster, {"check", "-A", "--until", "healthy", "--ignore", "pod-misscheduled"})
              .code == 0);
    CHECK(wait_for(cluster, {"check", "-A", "--until", "healthy", "--severity", "error"}).code ==
          0);
  }
  SECTION("too little can be read") {
    cluster.api().forbid("/api/v1/nodes");
    const auto ran = wait_for(cluster, {"check", "-A", "--until", "rolled-out"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.out, Contains("! cannot be known: rolled-out"));
    CHECK_THAT(ran.out, Contains("x/agent: its nodes, pods or revisions could not be read"));
    cluster.api().forbid("/api/v1/pods");
    CHECK(wait_for(cluster, {"check", "-A", "--until", "healthy"}).code ==
          cluster.run({"check", "-A"}).code);
  }
}

TEST_CASE("a rollout is waited for with --until rolled-out", "[watch][until]") {
  Small cluster;
  const auto change_template = [&](const std::string& strategy) {
    json ds = daemon_set_object(2, strategy);
    ds["spec"]["template"]["spec"]["containers"][0]["image"] = "b";
    cluster.api().set(revision_object("h2", 2, "b").dump());
    cluster.api().set(ds.dump());
    cluster.api().set(pod_object("n1", true, "h2").dump());
  };
  SECTION("one pod is left") {
    change_template("RollingUpdate");
    const auto ran =
        wait_for(cluster, {"explain", "agent", "--until", "rolled-out", "--timeout", "2s"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, Contains("x/agent: 1 of 2 pods are of the current template and available"));
    CHECK_THAT(ran.out, Contains("waits for Pod/agent-n2 on n2"));
  }
  SECTION("the last pod is replaced") {
    change_template("RollingUpdate");
    const auto ran =
        wait_for(cluster, {"explain", "agent", "--until", "rolled-out", "--timeout", "20s"},
                 [&] { cluster.api().set(pod_object("n2", true, "h2").dump()); });
    CHECK(ran.code == 0);
  }
  SECTION("OnDelete never ends by itself") {
    change_template("OnDelete");
    const auto ran = wait_for(cluster, {"explain", "agent", "--until", "rolled-out"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, Contains("! cannot be reached without action: rolled-out"));
    CHECK_THAT(ran.out, Contains("updateStrategy OnDelete"));
  }
  SECTION("the controller has not seen the template") {
    json ds = daemon_set_object(2);
    ds["status"]["observedGeneration"] = 1;
    cluster.api().set(ds.dump());
    const auto ran =
        wait_for(cluster, {"explain", "agent", "--until", "rolled-out", "--timeout", "2s"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, Contains("waits for DaemonSet/agent"));
  }
}

TEST_CASE("a watch sends GET only, to few resources", "[watch]") {
  Small cluster;
  (void)cluster.run_until({"check", "-A", "-w"},
                          [](const std::string& out) { return !out.empty(); });
  std::set<std::string> watched;
  for (const auto& request : cluster.requests()) {
    CHECK(request.method == "GET");
    if (request.query.contains("watch")) watched.insert(request.path);
    CHECK(request.header("accept-encoding").empty() == request.query.contains("watch"));
  }
  CHECK(watched == std::set<std::string>{"/api/v1/events", "/api/v1/nodes", "/api/v1/pods",
                                         "/apis/apps/v1/controllerrevisions",
                                         "/apis/apps/v1/daemonsets"});
}

}  // namespace
}  // namespace dsdoctor::cmd
