// SPDX-License-Identifier: Apache-2.0

// Behaviour of `check` and `findings` that scripts rely on: exit codes, formats, number of
// requests.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "complete/complete.h"
#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

const std::string checked_file = std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json";
const std::string alerts = std::string(DSDOCTOR_TESTDATA) + "/scenarios/alerts/cluster.yaml";

nlohmann::json json_of(const cmd::LiveCluster& cluster, Strings words) {
  words.insert(words.end(), {"-o", "json"});
  return nlohmann::json::parse(cluster.run(words).out);
}

}  // namespace

TEST_CASE("check has the documented exit codes", "[cmd][check]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  CHECK(cluster.run({"check"}).code == 1);
  CHECK(cluster.run({"check", "node-exporter"}).code == 0);
  CHECK(cluster.run({"check", "node-exporter"}).out.find("1 DaemonSet healthy") !=
        std::string::npos);
  CHECK(cluster.run({"check", "nope"}).code == 2);
  CHECK(cluster.run({"check", "node-exporter", "nope"}).code == 2);
  CHECK(cluster.run({"check", "-s", "https://127.0.0.1:1"}).code == 2);
  CHECK(cluster.run({"check", "-n", "empty-ns"}).code == 0);
  CHECK(cluster.run({"--alert", "misscheduled", "check", "node-exporter"}).code == 0);
}

TEST_CASE("check fails if not everything could be read", "[cmd][check]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  const std::string folder = std::string(DSDOCTOR_TESTDATA) + "/scenarios/pods-unknown/";
  const auto answer = cluster.run({"check", "-f", folder + "status-contradicts.yaml"});
  CHECK(answer.code == 2);
  CHECK_THAT(answer.out, Contains("nothing wrong, but not everything could be read"));
  const auto junit = cluster.run({"check", "-f", folder + "status-contradicts.yaml", "-ojunit"});
  CHECK_THAT(junit.out, Contains("errors=\"1\""));
}

TEST_CASE("JUnit has a test case for a name that was not found", "[cmd][check]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  const auto junit = cluster.run({"check", "node-exporter", "nope", "-o", "junit"});
  CHECK(junit.code == 2);
  CHECK_THAT(junit.out, Contains("tests=\"2\" failures=\"0\" errors=\"1\"") &&
                            Contains("nope&quot; not found"));
}

TEST_CASE("check prints the document of explain with only the failing nodes", "[cmd][check]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  const auto check = json_of(cluster, {"check", "-f", alerts});
  const auto explain = json_of(cluster, {"explain", "-f", alerts});
  CHECK(check["kind"].get<std::string>() == "Explanation");
  CHECK(check["summary"] == explain["summary"]);
  REQUIRE(check["daemonSets"].size() == 2);
  CHECK(check["daemonSets"][0]["nodes"].size() == 1);
  CHECK(check["daemonSets"][0]["nodes"][0] == explain["daemonSets"][0]["nodes"][0]);
  CHECK(check["daemonSets"][1]["nodes"].empty());
  for (const auto& document : {check, explain}) {
    for (const auto& entry : document["daemonSets"]) {
      CHECK(entry["timeline"].is_array());
      CHECK_FALSE(entry.contains("alert"));
      for (const auto& node : entry["nodes"]) {
        CHECK(node["timeline"].is_array());
        CHECK(node["timeline"].empty() == (node["verdict"] != "misscheduled"));
      }
    }
  }
  const auto selected = json_of(cluster, {"explain", "-f", alerts, "--node", "w-1"});
  CHECK(selected["daemonSets"][0]["nodes"][0]["timeline"].is_array());
}

TEST_CASE("explain omits healthy nodes with --no-healthy", "[cmd][explain]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  const auto all = json_of(cluster, {"explain", "--demo", "-A"});
  const auto part = json_of(cluster, {"explain", "--demo", "-A", "--no-healthy"});
  CHECK(part["summary"] == all["summary"]);
  CHECK(part["problems"] == all["problems"]);
  REQUIRE(part["daemonSets"].size() == all["daemonSets"].size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < all["daemonSets"].size(); ++i) {
    auto expected = part["daemonSets"][i]["nodes"];
    expected.clear();
    for (const auto& node : all["daemonSets"][i]["nodes"]) {
      if (node["verdict"] != "running" && node["verdict"] != "excluded") expected.push_back(node);
    }
    CHECK(part["daemonSets"][i]["nodes"] == expected);
    left += expected.size();
  }
  CHECK(left == 2);
}

TEST_CASE("every node is in the class with its verdict and reasons", "[cmd][explain]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  for (const char* format : {"json", "yaml"}) {
    const auto wrong = cluster.run({"explain", "--demo", "-A", "--group", "-o", format});
    CHECK(wrong.code == 0);
    CHECK(wrong.out.find("classes") != std::string::npos);
  }
  const auto single = json_of(cluster, {"explain", "--demo", "-A"});
  const auto grouped = json_of(cluster, {"explain", "--demo", "-A", "--group"});
  CHECK(grouped["problems"] == single["problems"]);
  REQUIRE(grouped["daemonSets"].size() == single["daemonSets"].size());
  CHECK(grouped["daemonSets"][0]["timeline"] == single["daemonSets"][0]["timeline"]);
  std::size_t several = 0;
  for (std::size_t i = 0; i < single["daemonSets"].size(); ++i) {
    std::map<std::string, nlohmann::json> class_of;
    for (const auto& each : grouped["daemonSets"][i]["classes"]) {
      several += each["nodes"].size() > 1 ? 1 : 0;
      for (const auto& name : each["nodes"]) {
        CHECK(class_of.emplace(name.get<std::string>(), each).second);
      }
    }
    CHECK(class_of.size() == single["daemonSets"][i]["nodes"].size());
    for (const auto& node : single["daemonSets"][i]["nodes"]) {
      const auto& of = class_of.at(node["name"].get<std::string>());
      for (const char* key : {"verdict", "shouldRun", "shouldContinueRunning", "findings"}) {
        CHECK(of[key] == node[key]);
      }
      REQUIRE(of["reasons"].size() == node["reasons"].size());
      for (std::size_t r = 0; r < node["reasons"].size(); ++r) {
        const auto& reason = of["reasons"][r];
        CHECK(reason["path"] == node["reasons"][r]["path"]);
        if (!reason.contains("haves")) {
          CHECK(reason["message"] == node["reasons"][r]["message"]);
          continue;
        }
        const auto& haves = reason["haves"];
        CHECK(std::ranges::any_of(
            haves, [&](const auto& value) { return value["have"] == node["reasons"][r]["have"]; }));
      }
    }
  }
  CHECK(several > 1);
}

TEST_CASE("only JSON and YAML can list classes of nodes", "[cmd][explain]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  for (const char* command : {"explain", "check"}) {
    const auto result = cluster.run({command, "--demo", "-A", "--group"});
    CHECK(result.code == 2);
    CHECK(result.err.find("--group is a layout of -o json and -o yaml") != std::string::npos);
  }
}

TEST_CASE("an alert is evaluated for each DaemonSet", "[cmd][check]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  const auto document = json_of(cluster, {"check", "-f", alerts, "--alert", "MisScheduled"});
  const auto& agent = document["daemonSets"][0]["alert"];
  CHECK(agent["name"].get<std::string>() == "KubeDaemonSetMisScheduled");
  CHECK(agent["holds"] == true);
  CHECK(agent["fires"].is_null());  // the start time of the condition is unknown
  CHECK(agent["for"].get<std::string>() == "15m");
  CHECK(agent["values"] == nlohmann::json{{"numberMisscheduled", 1}});
  CHECK(agent["clearsByItself"] == true);
  CHECK_THAT(agent["message"].get<std::string>(),
             Contains("longest terminationGracePeriodSeconds of the pods on it is 600"));
  const auto& other = document["daemonSets"][1]["alert"];
  CHECK(other["fires"] == false);
  CHECK(other["clearsByItself"].is_null());
  CHECK(cluster.run({"check", "-f", alerts, "--alert", "notscheduled"}).code == 0);
  CHECK(cluster.run({"check", "-f", alerts, "--alert", "KubeNodeNotReady"}).code == 2);
  CHECK_THAT(
      cluster.run({"check", "-f", alerts, "--alert", "misscheduled", "-o", "prometheus"}).out,
      Contains("dsdoctor_alert_condition{namespace=\"mon\",daemonset=\"agent\","
               "alert=\"KubeDaemonSetMisScheduled\"} 1\n"));
}

TEST_CASE("findings does not read a cluster", "[cmd][findings]") {
  const cmd::LiveCluster cluster(checked_file, "mon");
  for (const char* format : {"table", "wide", "json", "yaml", "name", "markdown"}) {
    const auto all = cluster.run({"findings", "-o", format});
    CHECK(all.code == 0);
    CHECK(all.err.empty());
    CHECK_THAT(all.out, Contains("untolerated-taint"));
    CHECK(cluster.run({"findings", "untolerated-taint", "-o", format}).code == 0);
  }
  CHECK(cluster.run({"findings", "nope"}).code == 2);
  CHECK(cluster.run({"findings", "--color=x"}).code == 2);
  CHECK_THAT(cluster.run({"findings", "--color=always"}).out, Contains("\033["));
  CHECK(cluster.requests().empty());
}
