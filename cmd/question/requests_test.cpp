// SPDX-License-Identifier: Apache-2.0

// How many requests a question costs, and that nothing is read twice.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using testing::ServedRequest;

namespace {

std::string daemon_set(int number) {
  return fmt::format(
      R"({{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{{"name":"agent-{0}",)"
      R"("namespace":"mon","uid":"d{0}","generation":1}},"spec":{{"selector":{{"matchLabels":)"
      R"({{"app":"a{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"a{0}"}}}},"spec":)"
      R"({{"containers":[{{"name":"agent"}}]}}}}}},"status":{{"observedGeneration":1}}}})",
      number);
}

std::string node(const std::string& name, bool dead) {
  return fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{}","uid":"{}"}},"spec":{{{}}},)"
      R"("status":{{"conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
      name, name,
      dead ? R"("taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}])" : "",
      dead ? "Unknown" : "True");
}

std::string pod(int of, const std::string& on, bool ready) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"agent-{0}-{1}","namespace":"mon",)"
      R"("uid":"p{0}{1}","labels":{{"app":"a{0}"}},"ownerReferences":[{{"kind":"DaemonSet",)"
      R"("name":"agent-{0}","uid":"d{0}","controller":true}}]}},"spec":{{"nodeName":"{1}",)"
      R"("containers":[{{"name":"agent"}}]}},"status":{{"phase":"Running","conditions":)"
      R"([{{"type":"Ready","status":"{2}"}}]}}}})",
      of, on, ready ? "True" : "False");
}

/// Seven DaemonSets on seven nodes, of which five are NotReady.
void fill(testing::FakeApi& api) {
  for (int of = 1; of <= 7; ++of) api.add(daemon_set(of));
  for (int i = 1; i <= 7; ++i) {
    const std::string name = fmt::format("n{}", i);
    api.add(node(name, i <= 5));
    for (int of = 1; of <= 7; ++of) api.add(pod(of, name, i > 5));
  }
}

auto count_of(const std::vector<ServedRequest>& requests, std::string_view path) {
  return std::ranges::count(requests, path, &ServedRequest::path);
}

/// `json` of a DaemonSet with these members in its status.
std::string with_status(std::string json, const std::string& counts) {
  const std::string status = R"("observedGeneration":1)";
  json.replace(json.find(status), status.size(), status + "," + counts);
  return json;
}

}  // namespace

TEST_CASE("check -A does not read listed nodes again", "[cmd][requests]") {
  cmd::LiveCluster cluster("", "mon");
  fill(cluster.api());
  CHECK(cluster.run({"check", "-A"}).code == 1);
  const auto requests = cluster.requests();
  CHECK(std::ranges::none_of(requests, [](const ServedRequest& request) {
    return request.path.starts_with("/api/v1/nodes/");
  }));
  CHECK(count_of(requests, "/api/v1/nodes") == 1);
  CHECK(count_of(requests, "/api/v1/namespaces/default/events") == 1);  // for all nodes
  CHECK(count_of(requests, "/api/v1/namespaces/mon/events") == 2);  // for DaemonSets and for pods
  CHECK(requests.size() <= 15);
}

TEST_CASE("explain node/X reads only the pods of that node", "[cmd][requests]") {
  cmd::LiveCluster cluster("", "mon");
  fill(cluster.api());
  for (int i = 1; i <= 5; ++i) {
    std::string other = daemon_set(7 + i);
    other.replace(other.find("\"mon\""), 5, fmt::format("\"ns{}\"", i));
    cluster.api().add(other);
  }
  const auto answer = cluster.run({"explain", "node/n6", "-A"});
  CHECK(answer.code == 0);
  CHECK_THAT(answer.out, Contains("5 missing, 7 running"));
  std::vector<std::string> selectors;
  for (const ServedRequest& request : cluster.requests()) {
    if (!request.path.ends_with("/pods")) continue;
    CHECK(request.path == "/api/v1/pods");
    selectors.push_back(request.query.at("fieldSelector"));
  }
  std::ranges::sort(selectors);
  CHECK(selectors == std::vector<std::string>{"spec.nodeName=", "spec.nodeName=n6"});
  CHECK(count_of(cluster.requests(), "/api/v1/resourcequotas") == 1);
  CHECK(count_of(cluster.requests(), "/api/v1/limitranges") == 1);
}

TEST_CASE("a timeline has its events even if nothing is wrong", "[cmd][requests]") {
  cmd::LiveCluster cluster("", "mon");
  cluster.api().add(with_status(
      daemon_set(1),
      R"("desiredNumberScheduled":1,"currentNumberScheduled":1,"numberReady":1,"numberAvailable":1,"updatedNumberScheduled":1)"));
  cluster.api().add(node("n6", false));
  cluster.api().add(pod(1, "n6", true));
  CHECK(cluster.run({"explain", "agent-1"}).code == 0);
  CHECK(count_of(cluster.requests(), "/api/v1/namespaces/mon/events") == 0);
  CHECK(cluster.run({"explain", "agent-1", "--timeline"}).code == 0);
  CHECK(count_of(cluster.requests(), "/api/v1/namespaces/mon/events") == 2);
}

TEST_CASE("without permission to read nodes the status is explained", "[cmd][requests]") {
  cmd::LiveCluster cluster("", "mon");
  cluster.api().add(with_status(
      daemon_set(1), R"("desiredNumberScheduled":3,"currentNumberScheduled":2,"numberReady":1)"));
  cluster.api().add(pod(1, "n1", true));
  std::string crashing = pod(1, "n2", false);
  const std::string phase = R"("phase":"Running")";
  crashing.replace(crashing.find(phase), phase.size(),
                   phase + R"(,"containerStatuses":[{"name":"agent","restartCount":4,"state":)"
                           R"({"waiting":{"reason":"CrashLoopBackOff"}}}])");
  cluster.api().add(crashing);
  cluster.api().forbid("/api/v1/nodes");
  const auto answer = cluster.run({"check"});
  CHECK(answer.code == 1);
  CHECK_THAT(answer.out, Contains("status reports 3 desired, 2 current, 1 ready"));
  CHECK_THAT(answer.out, Contains("mon/agent-1, 1 node: n2"));
  CHECK_THAT(answer.out, Contains("nodes is forbidden"));
  const auto explained = cluster.run({"explain", "agent-1", "--exit-code"});
  CHECK(explained.code == 1);
}
