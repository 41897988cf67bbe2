// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "source/file_source.h"
#include "testing/folder.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

using Strings = std::vector<std::string>;

const std::string monday = "2026-11-16T08:00:00Z";
const std::string tuesday = "2026-11-17T08:00:00Z";

/// An object whose UID is derived from its name. `time`: of its creation; may be empty.
std::string object(std::string_view kind, std::string_view name, int version,
                   const std::string& time, std::string_view more = "", std::string_view uid = "") {
  const std::string_view api = kind == "DaemonSet" ? "apps/v1" : "v1";
  const std::string ns = kind == "Node" ? "" : R"("namespace":"shop",)";
  const std::string created = time.empty() ? "" : fmt::format(R"("creationTimestamp":"{}",)", time);
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{{}{}"name":"{}","uid":"{}","resourceVersion":"{}"}}{}}})",
      api, kind, ns, created, name, uid.empty() ? fmt::format("uid-{}-{}", kind, name) : uid,
      version, more);
}

std::string list_of(const Strings& objects, std::string_view metadata = "{}") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"List","metadata":{},"items":[{}]}})", metadata,
                     fmt::join(objects, ","));
}

std::string node(std::string_view name, int version, const std::string& time,
                 std::string_view uid = "") {
  return object("Node", name, version, time, "", uid);
}
std::string pod(std::string_view name, int version, const std::string& time) {
  return object("Pod", name, version, time, R"(,"spec":{"nodeName":"a"})");
}
std::string daemon_set(std::string_view name, int version, const std::string& time) {
  return object("DaemonSet", name, version, time,
                R"(,"spec":{"selector":{"matchLabels":{"app":"x"}},)"
                R"("template":{"metadata":{"labels":{"app":"x"}}}})");
}

source::Snapshot load_all(const Strings& paths) {
  std::istringstream none;
  source::FileSource files(paths, none, [] {
    return model::Time(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21});
  });
  auto snapshot = files.load({});
  if (!snapshot) FAIL(base::to_string(snapshot.error()));
  return std::move(*snapshot);
}

/// "Node a 12, Pod p 7": the objects with their resourceVersions.
std::string objects_of(const source::Snapshot& snapshot) {
  std::string result;
  const auto add = [&](std::string_view kind, const auto& list) {
    for (const auto& each : list) {
      result += fmt::format("{}{} {} {}", result.empty() ? "" : ", ", kind, each.meta.name.view(),
                            each.meta.resource_version.str());
    }
  };
  add("Node", snapshot.cluster.nodes);
  add("DaemonSet", snapshot.cluster.daemon_sets);
  add("Pod", snapshot.cluster.pods);
  return result;
}

std::string warnings_of(const source::Snapshot& snapshot) {
  std::string result;
  for (const auto& warning : snapshot.warnings) {
    result += fmt::format("{}: {}\n", warning.where, warning.what);
  }
  return result;
}

const Strings on_monday = {node("a", 10, monday), node("b", 11, monday), node("c", 12, monday),
                           daemon_set("agent", 13, monday), pod("agent-1", 14, monday)};
const Strings on_tuesday = {node("a", 20, monday), node("b", 11, monday),
                            daemon_set("agent", 23, monday), pod("agent-2", 24, tuesday)};
const std::string of_tuesday = "Node a 20, Node b 11, DaemonSet agent 23, Pod agent-2 24";

}  // namespace

TEST_CASE("the newer of two dumps replaces the older one", "[earlier]") {
  const testing::Folder folder;
  const std::string older = folder.write("z-old.json", list_of(on_monday));
  const std::string newer = folder.write("a-new.json", list_of(on_tuesday));
  for (const Strings& paths : {Strings{folder.path()}, {older, newer}, {newer, older}}) {
    const auto snapshot = load_all(paths);
    CHECK(objects_of(snapshot) == of_tuesday);
    CHECK_THAT(warnings_of(snapshot),
               Contains(newer + ": a later state (2026-11-17 08:00:00 UTC) of the cluster in " +
                        older + " (2026-11-16 08:00:00 UTC), whose Nodes, DaemonSets, Pods"));
  }
}

TEST_CASE("a folder of dumps is read like files of dumps", "[earlier]") {
  const testing::Folder folder;
  const auto write = [&](const std::string& day, const Strings& all) {
    folder.write(day + "/nodes.json", list_of({all.begin(), all.end() - 2}));
    folder.write(day + "/shop/daemonsets.json", list_of({all[all.size() - 2]}));
    folder.write(day + "/shop/pods.json", list_of({all.back()}));
  };
  write("monday", on_monday);
  write("tuesday", on_tuesday);
  CHECK(objects_of(load_all({folder.path()})) == of_tuesday);
  CHECK(objects_of(load_all({folder / "tuesday", folder / "monday"})) == of_tuesday);
}

TEST_CASE("nodes in files of their own are replaced with the lists", "[earlier]") {
  const testing::Folder folder;
  const auto write = [&](const std::string& day, const Strings& nodes, const std::string& ds,
                         const std::string& pod) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      folder.write(fmt::format("{}/cluster-scoped-resources/core/nodes/{}.yaml", day, i), nodes[i]);
    }
    folder.write(day + "/namespaces/shop/apps/daemonsets.yaml", list_of({ds}));
    folder.write(day + "/namespaces/shop/core/pods.yaml", list_of({pod}));
  };
  write("1", {on_monday[0], on_monday[1], on_monday[2]}, on_monday[3], on_monday[4]);
  write("2", {on_tuesday[0], on_tuesday[1]}, on_tuesday[2], on_tuesday[3]);
  CHECK(objects_of(load_all({folder.path()})) == of_tuesday);
}

TEST_CASE("the newest of three dumps replaces the others", "[earlier]") {
  const testing::Folder folder;
  const std::string wednesday = "2026-11-18T08:00:00Z";
  folder.write("1.json", list_of(on_monday));
  folder.write("2.json", list_of(on_tuesday));
  folder.write("3.json", list_of({node("a", 30, wednesday), node("b", 11, monday),
                                  daemon_set("agent", 23, monday)}));
  const auto snapshot = load_all({folder.path()});
  CHECK(objects_of(snapshot) == "Node a 30, Node b 11, DaemonSet agent 23, Pod agent-2 24");
  REQUIRE(snapshot.warnings.size() == 2);
  CHECK(snapshot.warnings[0].where == folder / "3.json");
  CHECK(snapshot.warnings[1].where == folder / "3.json");
}

TEST_CASE("nodes are kept if the newer input has none", "[earlier]") {
  const testing::Folder folder;
  folder.write("1.json", list_of(on_monday));
  folder.write("2.json", list_of({on_tuesday[2], on_tuesday[3]}));
  CHECK(objects_of(load_all({folder.path()})) ==
        "Node a 10, Node b 11, Node c 12, DaemonSet agent 23, Pod agent-2 24");
}

TEST_CASE("without times both states are read", "[earlier]") {
  const testing::Folder folder;
  folder.write("1.json", list_of({node("a", 1, ""), node("b", 2, "")}));
  folder.write("2.json", list_of({node("a", 3, "")}));
  const auto snapshot = load_all({folder.path()});
  CHECK(objects_of(snapshot) == "Node a 3, Node b 2");
  CHECK(warnings_of(snapshot).empty());
}

TEST_CASE("the collector's time decides if the objects have none", "[earlier]") {
  const testing::Folder folder;
  const auto write = [&](const std::string& day, const std::string& time, int version,
                         const Strings& more) {
    Strings nodes = {node("a", version, monday), node("b", 2, monday)};
    nodes.insert(nodes.end(), more.begin(), more.end());
    folder.write(day + "/resources/cluster/core_v1_nodes.json", list_of(nodes));
    folder.write(day + "/meta/run.log", "level=info time=\"" + time + "\"");
  };
  write("1", "2026-11-16T20:00:00Z", 3, {});
  write("2", "2026-11-16T10:00:00Z", 1, {node("c", 1, monday)});
  CHECK(objects_of(load_all({folder.path()})) == "Node a 3, Node b 2");
}

TEST_CASE("parts of one state are read together", "[earlier]") {
  const testing::Folder folder;
  const std::string all = folder.write("all.json", list_of(on_monday));
  SECTION("lists without common objects") {
    folder.write("more.json", list_of({node("d", 30, tuesday), pod("other", 31, tuesday)}));
    CHECK(objects_of(load_all({folder.path()})) ==
          "Node a 10, Node b 11, Node c 12, Node d 30, DaemonSet agent 13, Pod agent-1 14, "
          "Pod other 31");
  }
  SECTION("a selection of objects that was made later") {
    folder.write("some.json", list_of({node("a", 20, tuesday), pod("agent-1", 21, tuesday)}));
    CHECK(objects_of(load_all({folder.path()})) ==
          "Node a 20, Node b 11, Node c 12, DaemonSet agent 13, Pod agent-1 21");
  }
  SECTION("single objects") {
    folder.write("node.json", node("a", 20, tuesday));
    CHECK(objects_of(load_all({folder.path()})) ==
          "Node a 20, Node b 11, Node c 12, DaemonSet agent 13, Pod agent-1 14");
  }
  SECTION("one page of a later list") {
    folder.write("page.json", list_of({node("a", 20, tuesday), node("b", 21, tuesday)},
                                      R"({"continue":"x","resourceVersion":"30"})"));
    CHECK(objects_of(load_all({folder.path()})) ==
          "Node a 20, Node b 21, Node c 12, DaemonSet agent 13, Pod agent-1 14");
  }
  SECTION("objects of the same versions") {
    folder.write("same.json", list_of({node("a", 10, monday), node("b", 11, monday),
                                       daemon_set("agent", 13, tuesday)}));
    CHECK(objects_of(load_all({folder.path()})) ==
          "Node a 10, Node b 11, Node c 12, DaemonSet agent 13, Pod agent-1 14");
  }
  CHECK(load_all({folder.path()}).cluster.nodes.size() >= 3);
}

TEST_CASE("a time that contradicts the resourceVersions decides nothing", "[earlier]") {
  const testing::Folder folder;
  folder.write("1.json", list_of({node("a", 10, monday), node("b", 11, monday)}));
  folder.write("2.json", list_of({node("a", 5, tuesday), node("c", 6, tuesday)}));
  CHECK(objects_of(load_all({folder.path()})) == "Node a 10, Node b 11, Node c 6");
}

TEST_CASE("objects without resourceVersions are compared by their content", "[earlier]") {
  const testing::Folder folder;
  const auto nodes = [](const std::string& heartbeat) {
    const std::string status = fmt::format(
        R"(,"status":{{"conditions":[{{"type":"Ready","status":"True","lastHeartbeatTime":"{}"}}]}})",
        heartbeat);
    return Strings{object("Node", "a", 0, monday, status), object("Node", "b", 0, monday, status)};
  };
  Strings first = nodes(monday);
  first.push_back(node("c", 0, monday));
  for (std::string& each : first) each.replace(each.find(R"("0")"), 3, R"("")");
  Strings second = nodes(tuesday);
  for (std::string& each : second) each.replace(each.find(R"("0")"), 3, R"("")");
  folder.write("1.json", list_of(first));
  folder.write("2.json", list_of(second));
  CHECK(objects_of(load_all({folder.path()})) == "Node a , Node b ");
}

TEST_CASE("kinds that only the older input has are kept", "[earlier]") {
  const testing::Folder folder;
  folder.write("all.json", list_of(on_monday));
  folder.write("nodes-later.json", list_of({node("a", 20, tuesday), node("b", 21, tuesday)}));
  CHECK(objects_of(load_all({folder.path()})) ==
        "Node a 20, Node b 21, DaemonSet agent 13, Pod agent-1 14");
}

TEST_CASE("a node that was created again between two dumps is not a second cluster", "[earlier]") {
  const testing::Folder folder;
  folder.write("1.json", list_of({node("a", 1, monday), node("b", 2, monday),
                                  node("c", 3, monday, "first")}));
  folder.write("2.json", list_of({node("a", 4, monday), node("b", 2, monday),
                                  node("c", 5, tuesday, "second")}));
  CHECK(objects_of(load_all({folder.path()})) == "Node a 4, Node b 2, Node c 5");

  std::istringstream none;
  folder.write("2.json", list_of({node("a", 4, tuesday, "x"), node("b", 5, tuesday, "y")}));
  source::FileSource files({folder.path()}, none, [] { return model::Time(); });
  const auto two = files.load({});
  REQUIRE_FALSE(two);
  CHECK(two.error().kind == base::ErrorKind::TwoClusters);
}
