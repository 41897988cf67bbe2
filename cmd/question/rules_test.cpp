// SPDX-License-Identifier: Apache-2.0

// Which rules of Kubernetes an answer is based on, by the version of the server and other evidence.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "test_live_cluster.h"

using namespace dsdoctor;
using nlohmann::json;

namespace {

constexpr const char* node_yaml =
    R"({"kind":"Node","apiVersion":"v1","future":{"x":[1]},"metadata":{"name":"n1","uid":"u1",)"
    R"("creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"future":7,"taints":[{"key":"sla",)"
    R"("value":"950","effect":"NoSchedule","future":null}]},"status":{"nodeInfo":)"
    R"({"kubeletVersion":"v1.34.1"},"conditions":[{"type":"Ready","status":"True"}]}})";
constexpr const char* daemon_set_yaml =
    R"({"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"agent","namespace":"mon",)"
    R"("uid":"d1","generation":1,"creationTimestamp":"2026-01-02T00:00:00Z"},"spec":{"future":{},)"
    R"("selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":)"
    R"({"tolerations":[{"key":"sla","operator":"Gt","value":"500","future":[]}],)"
    R"("containers":[{"name":"agent"}]}}},"status":{"observedGeneration":1}})";

/// `source.rules` of `check -A` with this body of /version.
json rules(const std::string& version) {
  cmd::LiveCluster cluster("", "mon");
  cluster.api().add(node_yaml);
  cluster.api().add(daemon_set_yaml);
  cluster.api().script("/version", {{.status = 200, .body = version}});
  const auto ran = cluster.run({"check", "-A", "-o", "json"});
  CAPTURE(version, ran.err);
  REQUIRE(json::accept(ran.out));
  return json::parse(ran.out)["source"]["rules"];
}

}  // namespace

TEST_CASE("an answer follows the server's version even if it is unusual", "[cmd][rules]") {
  const auto release = [](const std::string& version) {
    const json found = rules(version);
    return found["release"].get<std::string>() + " " + found["source"].get<std::string>() +
           (found["newerThanKnown"].get<bool>() ? " newer" : "");
  };
  CHECK(release(R"({"major":"1","minor":"37","gitVersion":"v1.37.2+k3s1"})") == "1.37.2 server");
  CHECK(release(R"({"major":"1","minor":"99","gitVersion":"1.99"})") == "1.99.0 server newer");
  CHECK(release(R"({"gitVersion":"v1.36.1-vendor"})") == "1.36.1 server");
  for (const char* other : {R"({"major":"","minor":"","gitVersion":""})", "{}", "vendor", "",
                            R"({"major":"4","minor":"15","gitVersion":"a vendor's"})",
                            R"({"major":1,"minor":37,"gitVersion":[]})"}) {
    CHECK(release(other) == "1.34.1 kubelets");
  }
}

TEST_CASE("counters decide on a gate and kubelets three releases older do not", "[cmd][rules]") {
  const json found = rules(R"({"major":"1","minor":"37","gitVersion":"v1.37.2"})");
  CHECK(found["release"] == "1.37.2");
  REQUIRE(found["featureGates"].size() == 1);
  const json& gate = found["featureGates"][0];
  CHECK(gate["name"] == "TaintTolerationComparisonOperators");
  CHECK(gate["enabled"] == false);  // the status has 0 desired
  CHECK(gate["source"] == "counters");
  const json old = rules(R"({"major":"1","minor":"34","gitVersion":"v1.34.0"})");
  CHECK(old["featureGates"][0]["source"] == "release");
}
