// SPDX-License-Identifier: Apache-2.0
#include "source/file_source.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "source/demo_source.h"
#include "testing/cluster_reader.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using testing::Folder;
namespace fs = std::filesystem;

namespace {

const model::Time noon = model::Time(std::chrono::hours(12));

base::Result<source::Snapshot> load_files(std::vector<std::string> paths,
                                          const std::string& piped = "") {
  std::istringstream standard_input(piped);
  source::FileSource files(std::move(paths), standard_input, [] { return noon; });
  return files.load({});
}

std::string load_error(std::vector<std::string> paths, const std::string& piped = "") {
  const auto snapshot = load_files(std::move(paths), piped);
  return snapshot ? "" : base::to_string(snapshot.error());
}

std::vector<std::string> omitted(const source::Snapshot& snapshot) {
  std::vector<std::string> resources;
  for (const auto& omission : snapshot.omissions) {
    CHECK(omission.reason == "NotInInput");
    CHECK_FALSE(omission.message.empty());
    CHECK_FALSE(omission.consequence.empty());
    resources.push_back(omission.resource);
  }
  return resources;
}

const std::string node_a = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";
const std::string node_b = "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n";

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("files and folders and standard input become one snapshot", "[source][files]") {
  const Folder folder;
  folder.write("deep/er/a.json", node_a);
  folder.write("b.yml", node_b);
  folder.write("notes.txt", "not a manifest");
  folder.write(".hidden.json", "{broken");
  folder.write(".git/x.json", "{broken");
  const auto snapshot = load_files({folder.path(), "-"}, node_a);
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == 2);
  CHECK(snapshot->cluster.nodes[1].meta.name == "b");
  CHECK(snapshot->info.kind == "files");
  CHECK(snapshot->info.paths == Words{folder.path(), "-"});
  CHECK(snapshot->info.read_at == noon);
  CHECK_FALSE(snapshot->cluster.version);
}

TEST_CASE("standard input named twice is read once", "[source][files]") {
  CHECK(load_error({"-", "-"}, node_a) == "");
}

TEST_CASE("a dangling link does not stop the read of a folder", "[source][files]") {
  const Folder folder;
  folder.write("a.json", node_a);
  fs::create_symlink("gone.json", folder / "b.json");
  CHECK(load_error({folder.path()}) == "");
}

TEST_CASE("an error names the path that cannot be read", "[source][files]") {
  const Folder folder;
  CHECK(load_error({folder / "no.json"}) ==
        "the path \"" + folder / "no.json" + "\" does not exist");
  CHECK(load_error({folder.path()}) ==
        folder.path() + ": the folder has no manifests (*.json, *.yaml, *.yml)");
  CHECK(load_error({"-"}) == "standard input: the file is empty; expected JSON or YAML");
  CHECK(load_error({"-"}, R"({"apiVersion":"v1","kind":"Secret"})") ==
        "-: only 1 object of other kinds found; Nodes, DaemonSets and Pods are needed");
  CHECK(load_error({"-"}, R"({"apiVersion":"v1","kind":"List","items":[]})") ==
        "-: no objects found; Nodes, DaemonSets and Pods are needed");
}

TEST_CASE("all bad files are reported", "[source][files]") {
  const Folder folder;
  const std::string good = folder.write("a.json", node_a);
  const std::string bad = folder.write("b.json", "{\"a\": 1,}");
  const std::string worse = folder.write("c.yaml", "a:\n\tb: 1\n");
  const auto snapshot = load_files({good, bad, worse});
  REQUIRE_FALSE(snapshot);
  CHECK(base::to_string(snapshot.error()) == bad + ":1:9: unexpected comma before }: remove it");
  CHECK(snapshot.error().hints ==
        Words{"error: " + worse + ":2:1: a tab is used for indentation; YAML allows only spaces"});
}

TEST_CASE("kinds that the input lacks are omissions", "[source][files]") {
  const std::string ds = R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d",
      "namespace":"x","annotations":{"deprecated.daemonset.template.generation":"1"}},
      "status":{"currentNumberScheduled":1}})";
  const std::string old_ds =
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"o","namespace":"x"}})";
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
      "namespace":"x","ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}]}})";
  const std::string of_group =
      pod.substr(0, pod.size() - 1) + R"(,"spec":{"schedulingGroup":{"podGroupName":"g"}}})";
  const std::string group = R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",
      "metadata":{"name":"g","namespace":"x"}})";
  const auto [content, lacks] = GENERATE_COPY(table<std::string, Words>({
      {node_a, {"daemonsets"}},  // without DaemonSets the pods are not needed
      {ds, {"nodes", "pods"}},
      {node_a + old_ds, {"pods"}},  // a manifest: it has no status
      {node_a + ds, {"pods"}},
      {node_a + ds + pod, {}},
      {node_a + ds + R"({"kind":"PodList","items":[]})", {}},
      {node_a + old_ds + pod, {"controllerrevisions"}},
      {node_a + old_ds + pod + R"({"kind":"ControllerRevisionList","items":[]})", {}},
      {node_a + ds + of_group, {"podgroups"}},
      {node_a + ds + of_group + group, {}},
  }));
  CAPTURE(content);
  const auto snapshot = load_files({"-"}, content);
  REQUIRE(snapshot);
  CHECK(omitted(*snapshot) == lacks);
  CHECK(snapshot->cluster.nodes_known == (content.find("\"Node\"") != content.npos));
}

TEST_CASE("partly missing pods and nodes are omissions", "[source][files]") {
  const auto ds = [](const std::string& ns) {
    return R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":")" +
           ns + R"(","generation":1,"annotations":{"deprecated.daemonset.template.generation":"1"}},
           "status":{"observedGeneration":1,"desiredNumberScheduled":2,
           "currentNumberScheduled":2,"numberReady":2}})";
  };
  const auto pod = [](const std::string& ns, const std::string& node) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"on-)" + node +
           R"(","namespace":")" + ns +
           R"(","ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}]},
           "spec":{"nodeName":")" +
           node + R"("}})";
  };
  const std::string nodes = node_a + R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}})";
  const std::string of_y = pod("y", "a") + pod("y", "b");
  const auto snapshot = load_files({"-"}, nodes + ds("x") + ds("y") + of_y);
  REQUIRE(snapshot);
  REQUIRE(omitted(*snapshot) == Words{"pods"});
  CHECK(snapshot->omissions[0].ns == "x");
  CHECK(snapshot->omissions[0].message == "the input lacks Pods of namespace x");

  std::string many = nodes + of_y;
  for (const char* ns : {"p", "q", "r", "s", "t"}) many += ds(ns);
  const auto several = load_files({"-"}, many);
  REQUIRE(several);
  REQUIRE(omitted(*several) == Words{"pods"});
  CHECK(several->omissions[0].ns.empty());
  CHECK(several->omissions[0].message == "the input lacks Pods of namespaces p, q, r and 2 more");

  const auto one_node = load_files({"-"}, node_a + ds("y") + of_y);
  REQUIRE(one_node);
  REQUIRE(omitted(*one_node) == Words{"nodes"});
  CHECK(one_node->omissions[0].message == "the input lacks 1 Node that runs a pod: b");
  const auto fewer = load_files({"-"}, node_a + ds("y") + R"({"kind":"PodList","items":[]})");
  REQUIRE(fewer);
  REQUIRE(omitted(*fewer) == Words{"nodes"});
  CHECK(fewer->omissions[0].message == "DaemonSets count more nodes than the input has");
}

TEST_CASE("a recorded cluster has no omissions", "[source][files]") {
  const std::string name = GENERATE("autoscaler-taint", "mixed-40-nodes", "status-lag");
  const auto snapshot = load_files({DSDOCTOR_TESTDATA "/clusters/" + name + ".json"});
  REQUIRE(snapshot);
  CHECK(omitted(*snapshot).empty());
  CHECK(snapshot->warnings.empty());
  CHECK(snapshot->cluster == testing::recorded_cluster(name));
}
