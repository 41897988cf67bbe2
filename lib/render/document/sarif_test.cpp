// SPDX-License-Identifier: Apache-2.0
#include "render/document/sarif.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "fixes/explanation.h"
#include "testing/cluster_story.h"

namespace dsdoctor::render {
namespace {

/// The log about DaemonSet x/agent of a manifest, which lacks a pod.
Json log_of(const std::string& file, std::vector<model::Omission> omissions = {}) {
  testing::ClusterStory story;
  story.add_node("n");
  diagnosis::ReportOptions options;
  options.now = testing::at(3600);
  const diagnosis::Reporter reporter(story.cluster, options);
  const auto explanation = fixes::explain(reporter, {&story.ds()});
  Envelope envelope;
  envelope.omissions = std::move(omissions);
  envelope.what_if.emplace();
  envelope.what_if->places = {{.file = "other.yaml", .name = "agent-2"},
                              {.file = file,
                               .name = "agent",
                               .line = 3,
                               .lines = {{"spec", 9}, {"spec.template.spec", 12}}}};
  return sarif_json(explanation, envelope, omissions.empty(), "1.2.3");
}

std::string uri_in(const Json& log) {
  return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            ["uri"];
}

}  // namespace

TEST_CASE("a problem without evidence is a result at the line of its DaemonSet", "[sarif]") {
  const Json log = log_of("a.yaml");
  const Json& run = log["runs"][0];
  std::set<std::string> rules;
  for (const Json& result : run["results"]) {
    rules.insert(result["ruleId"]);
    const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()];
    CHECK(rule["id"] == result["ruleId"]);
    CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 3);
  }
  CHECK(rules.contains("missing"));
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
}

TEST_CASE("a path becomes a URI", "[sarif]") {
  CHECK(uri_in(log_of("a/b-1.yaml")) == "a/b-1.yaml");
  CHECK(uri_in(log_of("my agent#1.yaml")) == "my%20agent%231.yaml");
  CHECK(uri_in(log_of("a:b.yaml")) == "a%3Ab.yaml");
  CHECK(uri_in(log_of("/tmp/\xC3\xA4.yaml")) == "file:///tmp/%C3%A4.yaml");
  CHECK(uri_in(log_of("C:\\charts\\a.yaml")) == "file:///C:/charts/a.yaml");
}

TEST_CASE("an omission is a notification", "[sarif]") {
  const Json log = log_of("a.yaml", {{"pods", "", "Forbidden", "no permission", "pods unknown"}});
  const Json& invocation = log["runs"][0]["invocations"][0];
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"] ==
        "pods: no permission; pods unknown");
}

TEST_CASE("problems of DaemonSets outside of the manifest are left out", "[sarif]") {
  Json log = log_of("a.yaml");
  testing::ClusterStory story;
  story.add_node("n");
  diagnosis::ReportOptions options;
  options.now = testing::at(3600);
  const diagnosis::Reporter reporter(story.cluster, options);
  Envelope envelope;
  envelope.what_if.emplace();
  envelope.what_if->places = {{.file = "a.yaml", .ns = "y", .name = "agent"}};
  log = sarif_json(fixes::explain(reporter, {&story.ds()}), envelope, true, "1");
  CHECK(log["runs"][0]["results"].empty());
  CHECK(log["runs"][0]["tool"]["driver"]["rules"].empty());
}

}  // namespace dsdoctor::render
