// SPDX-License-Identifier: Apache-2.0

// How names pasted from kubectl's output are resolved.

#include "question/named.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using cmd::ObjectName;
using cmd::ObjectType;

namespace {

const std::string named_file = std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json";

model::Pod pod(const char* name, const char* kind, const char* owner) {
  model::Pod result;
  result.meta.ns = "mon";
  result.meta.name = name;
  result.node_name = "n1";
  if (*kind != '\0') result.meta.controller = model::ControllerRef{kind, owner, "u"};
  return result;
}

model::Cluster named_cluster() {
  model::Cluster result;
  model::DaemonSet& ds = result.daemon_sets.emplace_back();
  ds.meta.ns = "mon";
  ds.meta.name = "agent";
  result.pods = {pod("agent-abcde", "DaemonSet", "agent"), pod("bare", "", ""),
                 pod("gone-abcde", "DaemonSet", "gone"),   pod("n2", "DaemonSet", "agent"),
                 pod("static-n1", "Node", "n1"),           pod("web-1", "ReplicaSet", "web")};
  result.pods[4].mirror = true;
  for (const char* name : {"agent", "n1", "n2"}) {
    result.nodes.emplace_back().meta.name = name;
  }
  return result;
}

std::string error_of(const ObjectName& name) {
  const auto meant = cmd::meant_by(name, "mon", named_cluster());
  return meant ? "none" : meant.error().what;
}

std::string note_of(const std::string& name, bool typed = false) {
  const auto meant = cmd::meant_by({ObjectType::DaemonSet, name, typed}, "mon", named_cluster());
  return meant ? meant->note : "error";
}

}  // namespace

TEST_CASE("a name is a DaemonSet's or else a pod's or else a node's", "[cmd][named]") {
  CHECK(note_of("agent").empty());
  CHECK(note_of("agent-abcde") == "pod mon/agent-abcde is owned by DaemonSet agent, on node n1");
  CHECK(note_of("n2") == "pod mon/n2 is owned by DaemonSet agent, on node n1");
  CHECK(note_of("n1") == "n1 is a node");
  CHECK(note_of("nothing").empty());
  CHECK(note_of("n1", true).empty());
  const auto meant = cmd::meant_by({ObjectType::Pod, "n2", true}, "", named_cluster());
  REQUIRE(meant);
  CHECK(meant->object == ObjectName{ObjectType::DaemonSet, "agent"});
  CHECK(meant->ns == "mon");
  CHECK(meant->node == "n1");
}

TEST_CASE("a pod without a DaemonSet stays a pod, with its owner", "[cmd][named]") {
  CHECK(note_of("web-1") == "pod mon/web-1 is owned by ReplicaSet web");
  CHECK(note_of("bare") == "pod mon/bare has no owner");
  CHECK(note_of("static-n1") == "pod mon/static-n1 is a static pod");
  const auto meant = cmd::meant_by({ObjectType::Pod, "web-1", true}, "", named_cluster());
  REQUIRE(meant);
  CHECK(meant->object == ObjectName{ObjectType::Pod, "web-1", true});
  CHECK(meant->ns == "mon");
  CHECK(meant->node == "n1");
  const auto of_pod = [](const char* name) { return error_of({ObjectType::Pod, name, true}); };
  CHECK(of_pod("gone-abcde") ==
        "pod mon/gone-abcde is owned by DaemonSet gone, which was not found");
  CHECK(of_pod("n1") == "pods \"n1\" not found in namespace \"mon\"");
}

TEST_CASE("a pod is explained by its DaemonSet on its node", "[cmd][named][requests]") {
  const cmd::LiveCluster live(named_file, "mon");
  const std::string found = "fluentd-x";
  const auto typed = live.run({"explain", "pod/" + found});
  const auto requests = live.requests();
  CHECK(typed.code == 0);
  CHECK_THAT(typed.err, StartsWith("note: pod mon/" + found + " is owned by DaemonSet fluentd"));
  CHECK_THAT(typed.out, StartsWith("mon/fluentd ") && Contains("1 node"));
  CHECK(requests.front().path == "/api/v1/namespaces/mon/pods");
  CHECK(requests.front().query.at("fieldSelector") == "metadata.name=" + found);
  const auto of_ds = [&](const std::vector<std::string>& words) {
    const cmd::LiveCluster other(named_file, "mon");
    (void)other.run(words);
    return other.requests().size();
  };
  constexpr std::size_t asked_of_others = 1;  // the state of an unhealthy node
  // One more than for the DaemonSet, minus those for other nodes.
  CHECK(requests.size() == of_ds({"explain", "fluentd", "--node", "*"}) + 1 - asked_of_others);
  CHECK(of_ds({"explain", found}) <= of_ds({"explain", "fluentd"}) + 3);
  CHECK(of_ds({"explain", "pod/nope"}) == 1);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"explain", found},
                                                {"explain", found, "-A"},
                                                {"explain", "po/" + found, "-A"},
                                                {"explain", "pods", found, "-f", named_file}}) {
    CAPTURE(words);
    const auto answer = live.run(words);
    CHECK(answer.code == 0);
    CHECK(answer.err == typed.err);
    CHECK_THAT(answer.out, StartsWith("mon/fluentd "));
  }
}

TEST_CASE("a node's name alone means the node", "[cmd][named][requests]") {
  const cmd::LiveCluster live(named_file, "mon");
  const std::string node = "n2";
  const auto typed = live.run({"explain", "node/" + node});
  const auto bare = live.run({"explain", node});
  CHECK(bare.err == "note: " + node + " is a node\n");
  CHECK(bare.out == typed.out);
  CHECK(live.run({"explain", node, "-f", named_file}).out ==
        live.run({"explain", "node/" + node, "-f", named_file}).out);
}

TEST_CASE("with -A a name is searched in all namespaces", "[cmd][named][requests]") {
  const cmd::LiveCluster live(named_file, "default");
  const auto there = live.run({"explain", "fluentd", "-n", "mon"});
  const std::size_t before = live.requests().size();
  const auto everywhere = live.run({"explain", "fluentd", "-A"});
  CHECK(everywhere.code == 0);
  CHECK(everywhere.out == there.out);
  const auto requests = live.requests();
  CHECK(requests.size() - before <= before);
  for (std::size_t i = before; i < requests.size(); ++i) {
    CHECK(requests[i].path != "/api/v1/pods");  // of the whole cluster
  }
  const auto none = live.run({"explain", "fluentdd", "-A"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("daemonsets.apps \"fluentdd\" not found\n") &&
                           Contains("did you mean: fluentd\n"));
  CHECK_THAT(live.run({"explain", "fluentd-zzzzz", "-n", "mon"}).err,
             Contains("did you mean: fluentd\n"));
}
