// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "test_live_cluster.h"
#include "testing/gzip_file.h"

namespace dsdoctor::cmd {
namespace {

using Catch::Matchers::Contains;

/// The objects of a YAML text, without remarks.
std::vector<std::string> objects_in(const std::string& yaml) {
  std::vector<std::string> objects(1);
  for (const std::string_view line : base::split(yaml, "\n")) {
    if (line.starts_with('#') || line.empty()) continue;
    if (line == "---") {
      objects.emplace_back();
    } else {
      objects.back().append(line).append("\n");
    }
  }
  return objects;
}

/// "pods" and "daemonsets.apps" of the paths of requests.
std::set<std::string> resources_of(const std::vector<testing::ServedRequest>& requests) {
  std::set<std::string> result;
  for (const testing::ServedRequest& request : requests) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const auto parts = base::split(path, "/");
    if (parts.size() < 4) continue;  // /version
    const bool core = parts[1] == "api";
    std::size_t at = core ? 3 : 4;
    const bool within = parts[at] == "namespaces" && parts.size() > at + 2;
    if (within) at += 2;
    result.insert(core ? std::string(parts[at]) : fmt::format("{}.{}", parts[at], parts[2]));
  }
  return result;
}

std::set<std::string> granted(const std::vector<std::string>& words) {
  std::set<std::string> result;
  const auto list = nlohmann::json::parse(run_program(words).out);
  for (const auto& role : list.at("items")) {
    for (const auto& rule : role.at("rules")) {
      const auto group = rule.at("apiGroups").at(0).get<std::string>();
      for (const auto& name : rule.at("resources")) {
        result.insert(name.get<std::string>() + (group.empty() ? "" : "." + group));
      }
    }
  }
  return result;
}

TEST_CASE("the roles are those of the document", "[cmd][rbac]") {
  const std::string document = testing::read_file(DSDOCTOR_ROOT "/docs/rbac.md");
  std::vector<std::string> documented;
  const std::string begin = "```yaml\n";
  for (std::size_t at = document.find(begin); at != document.npos; at = document.find(begin, at)) {
    at += begin.size();
    documented.push_back(document.substr(at, document.find("```", at) - at));
  }
  CHECK(objects_in(run_program({"rbac", "-w"}).out) == documented);
  documented.pop_back();  // for -w
  CHECK(objects_in(run_program({"rbac"}).out) == documented);
}

TEST_CASE("a role covers every request of its command", "[cmd][rbac]") {
  for (const char* file : {"/clusters/mixed-40-nodes.json", "/conventions/cluster.json"}) {
    for (const char* command : {"explain", "check", "diff-nodes", "suggest", "taints"}) {
      const LiveCluster cluster(std::string(DSDOCTOR_TESTDATA) + file, "mon");
      CAPTURE(file, command, cluster.run({command, "-A"}).err);
      const std::set<std::string> asked = resources_of(cluster.requests());
      const std::set<std::string> roles = granted({"rbac", command, "-o", "json"});
      CHECK(asked.size() > 1);
      for (const std::string& resource : asked) {
        CAPTURE(resource);
        CHECK(roles.contains(resource));
      }
    }
    const LiveCluster cluster(std::string(DSDOCTOR_TESTDATA) + file, "mon");
    CHECK(cluster.run({"snapshot", "-"}).code == 0);
    const std::set<std::string> asked = resources_of(cluster.requests());
    CHECK(asked.size() > 10);
    CHECK(std::ranges::includes(granted({"rbac", "-o", "json"}), asked));
  }
}

TEST_CASE("roles of one namespace are split by scope", "[cmd][rbac]") {
  const Ran ran = run_program({"rbac", "check", "-w", "-n", "logging"});
  CHECK(ran.code == 0);
  const auto objects = objects_in(ran.out);
  REQUIRE(objects.size() == 6);
  CHECK_THAT(objects[0], Contains("kind: Role\n") && Contains("namespace: logging\n") &&
                             Contains("[pods]") && !Contains("nodes"));
  CHECK_THAT(objects[1], Contains("kind: ClusterRole\n") && Contains("[nodes]") &&
                             !Contains("namespace") && !Contains("pods"));
  CHECK_THAT(ran.out, Contains("kubectl auth can-i list daemonsets.apps -n logging\n") &&
                          Contains("kubectl auth can-i list nodes\n") &&
                          Contains("kubectl auth can-i watch pods -n logging\n") &&
                          Contains("# Not covered: "));
  CHECK(granted({"rbac", "taints", "-o", "json"}) ==
        std::set<std::string>{"daemonsets.apps", "nodes"});
}

TEST_CASE("rbac refuses words that are not commands of a cluster", "[cmd][rbac]") {
  const auto error = [](const std::vector<std::string>& words) {
    const Ran ran = run_program(words);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK_THAT(error({"rbac", "chek"}),
             Contains("\"chek\" is not a command that reads a cluster: rbac takes explain, "
                      "diff-nodes, suggest, check, serve, taints, snapshot\n") &&
                 Contains("did you mean: rbac check"));
  CHECK_THAT(error({"rbac", "version"}), Contains("\"version\" is not a command"));
  CHECK_THAT(error({"rbac", "taints", "-w"}),
             Contains("--watch is for check, explain, diff-nodes and serve"));
  CHECK_THAT(error({"rbac", "-n", "a b"}), Contains("invalid namespace \"a b\""));
  CHECK_THAT(error({"rbac", "-o", "html"}), Contains("allowed formats are: json,yaml"));
}

}  // namespace
}  // namespace dsdoctor::cmd
