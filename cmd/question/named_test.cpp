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

TEST_CASE("a pod of another owner is explained by what it waits for", "[cmd][named][requests]") {
  cmd::LiveCluster live(named_file, "mon");
  live.api().add(R"({"apiVersion": "apps/v1", "kind": "DaemonSet",
    "metadata": {"name": "blob", "namespace": "storage", "uid": "u-blob", "generation": 1},
    "spec": {"selector": {"matchLabels": {"app": "blob"}}, "template": {
      "metadata": {"labels": {"app": "blob"}}, "spec": {"nodeSelector": {"storage": "ready"},
        "containers": [{"name": "main", "image": "i", "args": ["--drivername=blob.example.com"]}]}}},
    "status": {"observedGeneration": 1}})");
  const auto pod_of_db = [](const std::string& name, const std::string& rest) {
    return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name +
           R"(", "namespace": "db", "uid": "u-)" + name +
           R"(", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet",
             "name": "db", "uid": "sts", "controller": true}]}, "spec": {"containers": [
             {"name": "main", "image": "i"}])" +
           rest + "}";
  };
  live.api().add(pod_of_db("db-0", R"(, "nodeName": "n2"}, "status": {"phase": "Pending",
    "startTime": "1969-12-31T00:00:00Z"})"));
  live.api().add(pod_of_db("db-1", R"(, "nodeName": "n1"}, "status": {"phase": "Running"})"));
  live.api().add(pod_of_db("db-2", R"(}, "status": {"phase": "Pending", "conditions": [
    {"type": "PodScheduled", "status": "False", "message": "0/2 nodes are available"}]})"));
  live.api().add(R"({"apiVersion": "v1", "kind": "Event",
    "metadata": {"name": "db-0.1", "namespace": "db"}, "type": "Warning", "reason": "FailedMount",
    "involvedObject": {"kind": "Pod", "namespace": "db", "name": "db-0", "uid": "u-db-0"},
    "message": "driver name blob.example.com not found in the list of registered CSI drivers"})");
  const auto waiting = live.run({"explain", "pod/db-0", "-n", "db"});
  CHECK(waiting.err ==
        "note: pod db/db-0 is owned by StatefulSet db, and waits for driver blob.example.com of "
        "DaemonSet storage/blob on node n2\n");
  CHECK_THAT(waiting.out,
             StartsWith("storage/blob ") &&
                 Contains("driver blob.example.com is not registered on n2, needed by "
                          "pod db/db-0: DaemonSet storage/blob is not eligible there"));
  const auto running = live.run({"explain", "pod/db-1", "-n", "db"});
  CHECK_THAT(running.err, Contains("; the answer is about its node n1"));
  CHECK_THAT(running.out, StartsWith("node/n1 "));
  const auto unbound = live.run({"explain", "pod/db-2", "-n", "db"});
  CHECK(unbound.code == 2);
  CHECK_THAT(unbound.err, Contains("come from a DaemonSet: 0/2 nodes are available") &&
                              Contains("kubectl --namespace db describe pod db-2"));
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
