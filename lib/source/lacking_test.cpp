// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "base/text.h"
#include "source/file_source.h"
#include "testing/folder.h"

/// Inputs that look whole, but are not.
using namespace dsdoctor;
using testing::Folder;

namespace {

base::Result<source::Snapshot> load(const Folder& folder, const std::string& ns = "") {
  std::istringstream nothing;
  source::FileSource files({folder.path()}, nothing,
                           [] { return model::Time(std::chrono::hours(12)); });
  source::Query query;
  query.ns = ns;
  return files.load(query);
}

std::vector<std::string> messages(const source::Snapshot& snapshot, const std::string& resource) {
  std::vector<std::string> result;
  for (const model::Omission& omission : snapshot.omissions) {
    if (omission.resource == resource) result.push_back(omission.message);
  }
  return result;
}

std::string kind_list(const std::string& kind, const std::string& metadata,
                      const std::string& items) {
  const std::string version = kind == "DaemonSet" ? "apps/v1" : "v1";
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(List","metadata":)" +
         metadata + R"(,"items":[)" + items + "]}";
}

std::string daemon_set(const std::string& ns, const std::string& name) {
  return R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":")" + ns +
         R"(","name":")" + name + R"(","uid":"u-)" + name + R"("}})";
}

std::string pod_of(const std::string& ns, const std::string& name, const std::string& owner,
                   const std::string& more = "", const std::string& version = "apps/v1") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":")" + ns + R"(","name":")" +
         name + R"("%,"ownerReferences":[{"apiVersion":")" + version +
         R"(","kind":"DaemonSet","name":")" + owner + R"(","uid":"u","controller":true}]},)" +
         R"("spec":{"nodeName":"n"},"status":{"phase":"Running"}})" + more;
}

std::string mixed(const std::string& items) {
  return R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
}

/// The error for a file with that text, which is the same for JSON and YAML.
std::string refusal_of(const std::string& text) {
  std::string result;
  for (const bool yaml : {false, true}) {
    const Folder folder;
    folder.write(yaml ? "nodes.yaml" : "nodes.json", yaml ? "---\n" + text : text);
    const auto snapshot = load(folder);
    REQUIRE_FALSE(snapshot);
    if (yaml) CHECK(snapshot.error().what == result);
    result = snapshot.error().what;
  }
  return result;
}

std::string with(std::string text, const std::string& instead) {
  return text.replace(text.find('%'), 1, instead);
}

}  // namespace

TEST_CASE("a page of a list is not the whole list", "[source][lacking]") {
  const auto [kind, item] = GENERATE(table<std::string, std::string>({
      {"Node", R"({"metadata":{"name":"a"}})"},
      {"DaemonSet", R"({"metadata":{"namespace":"x","name":"a"}})"},
      {"Pod", R"({"metadata":{"namespace":"x","name":"a"}})"},
  }));
  const std::string metadata = GENERATE(R"({"continue":"t"})", R"({"remainingItemCount":1})");
  const std::string text = kind_list(kind, metadata, item);
  const bool yaml = GENERATE(false, true);
  const Folder folder;
  folder.write(yaml ? "page.yaml" : "page.json", yaml ? "---\n" + text : text);
  folder.write("daemonsets.json", kind_list("DaemonSet", "{}", daemon_set("x", "b")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CAPTURE(kind, metadata);
  CHECK(messages(*snapshot, base::lower_case(kind) + "s").size() == 1);
  CHECK(model::may_hide_problems(snapshot->omissions) == (kind == "DaemonSet"));
  if (kind == "DaemonSet") CHECK_FALSE(snapshot->cluster.known.daemon_sets);
  if (kind == "Node") CHECK_FALSE(snapshot->cluster.all_nodes_known);
  if (kind == "Pod") CHECK_FALSE(snapshot->cluster.all_pods_known);
}

TEST_CASE("all pages of a list with one resourceVersion are the list", "[source][lacking]") {
  const Folder folder;
  folder.write("1.json", kind_list("DaemonSet", R"({"resourceVersion":"7","continue":"t"})",
                                   daemon_set("x", "a")));
  folder.write("2.json",
               kind_list("DaemonSet", R"({"resourceVersion":"7"})", daemon_set("y", "b")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(messages(*snapshot, "daemonsets").empty());
  CHECK(snapshot->cluster.known.daemon_sets);

  const Folder backwards;
  backwards.write("1.json",
                  kind_list("DaemonSet", R"({"resourceVersion":"7"})", daemon_set("y", "b")));
  backwards.write("2.json", kind_list("DaemonSet", R"({"resourceVersion":"7","continue":"t"})",
                                      daemon_set("x", "a")));
  const auto reversed = load(backwards);
  REQUIRE(reversed);
  CHECK(messages(*reversed, "daemonsets").empty());
  CHECK(reversed->cluster.known.daemon_sets);

  folder.write("2.json",
               kind_list("DaemonSet", R"({"resourceVersion":"8"})", daemon_set("y", "b")));
  const auto other = load(folder);
  REQUIRE(other);
  CHECK(messages(*other, "daemonsets").size() == 1);
  CHECK_FALSE(other->cluster.known.daemon_sets);
}

TEST_CASE("a list without an array of items is an error", "[source][lacking]") {
  const auto text =
      GENERATE(as<std::string>(), R"({"apiVersion":"v1","kind":"NodeList"})",
               R"({"apiVersion":"v1","kind":"NodeList","items":"null"})",
               R"({"apiVersion":"v1","kind":"NodeList","items":null,"metadata":{"continue":"v1"}})",
               R"({"apiVersion":"v1","kind":"List"})");
  CAPTURE(text);
  CHECK(refusal_of(text).find("is not an array") != std::string::npos);
}

TEST_CASE("null items are an empty list", "[source][lacking]") {
  const Folder folder;
  folder.write(
      "pods.json",
      R"({"apiVersion":"v1","kind":"PodList","items":null,"metadata":{"resourceVersion":"1"}})");
  folder.write("daemonsets.json", kind_list("DaemonSet", "{}", daemon_set("x", "a")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(messages(*snapshot, "pods").empty());
}

TEST_CASE("owners that a list of mixed kinds lacks are named", "[source][lacking]") {
  const auto load_with = [](const std::string& pod, const std::string& ns = "") {
    const Folder folder;
    folder.write("all.json", mixed(daemon_set("x", "a") + "," + pod));
    auto snapshot = load(folder, ns);
    REQUIRE(snapshot);
    return messages(*snapshot, "daemonsets");
  };
  const std::string pod = pod_of("x", "b-1", "b");
  const std::string named =
      "the input lacks a DaemonSet that pods name as their owner: x/b (1 pod)";
  CHECK(load_with(with(pod, "")) == std::vector{named});
  CHECK(load_with(with(pod, ""), "x") == std::vector{named});
  CHECK(load_with(with(pod, ""), "y").empty());
  CHECK(load_with(with(pod, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")).empty());
  CHECK(load_with(with(pod_of("x", "a-1", "a"), "")).empty());
  CHECK(load_with(with(pod_of("x", "b-1", "b", "", "apps.kruise.io/v1beta1"), "")).empty());
}

TEST_CASE("a list of DaemonSets alone shows that an owner does not exist", "[source][lacking]") {
  const Folder folder;
  folder.write("pods.json", kind_list("Pod", "{}", with(pod_of("x", "b-1", "b"), "")));
  folder.write("daemonsets.json",
               kind_list("DaemonSet", "{}", daemon_set("x", "a") + "," + daemon_set("y", "a")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(messages(*snapshot, "daemonsets").empty());
  CHECK(snapshot->cluster.known.own_daemon_set_list);
}

TEST_CASE("one object with two UIDs means two clusters", "[source][lacking]") {
  const auto object = [](const std::string& kind, const std::string& name, const std::string& uid) {
    return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
           R"(","uid":")" + uid + R"("}})";
  };
  const auto [kind, name] =
      GENERATE(table<std::string, std::string>({{"Node", "n"}, {"Namespace", "kube-system"}}));
  const Folder folder;
  folder.write("a.json", object(kind, name, "1"));
  folder.write("b.json", object("Node", "other", "9"));
  folder.write("c.json", object(kind, name, "2"));
  const auto snapshot = load(folder);
  REQUIRE_FALSE(snapshot);
  CHECK(snapshot.error().where.ends_with("c.json"));
  CHECK(snapshot.error().what.find("a.json") != std::string::npos);

  folder.write("c.json", object(kind, name, "1"));
  CHECK(load(folder));
  folder.write("c.json", object("Namespace", "x", "1"));
  folder.write("d.json", object("Namespace", "x", "2"));
  CHECK(load(folder));
}

TEST_CASE("times that a collector wrote as the text null are not set", "[source][lacking]") {
  const Folder folder;
  folder.write("all.json",
               mixed(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n",)"
                     R"("deletionTimestamp":"null"}},{"apiVersion":"v1","kind":"Event","metadata":)"
                     R"({"namespace":"x","name":"e"},"involvedObject":{"kind":"Pod","name":"p"},)"
                     R"("eventTime":"null","firstTimestamp":"2026-01-01T00:00:00Z"})"));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  REQUIRE(snapshot->cluster.events.size() == 1);
  CHECK(snapshot->cluster.events[0].first.has_value());
  CHECK_FALSE(snapshot->cluster.nodes[0].meta.deleted);
  REQUIRE(snapshot->warnings.size() == 1);
  CHECK(snapshot->warnings[0].what == "2 times \"null\" taken as not set");
}

TEST_CASE("objects with keys in snake case are refused", "[source][lacking]") {
  const auto text = GENERATE(
      as<std::string>(), R"({"api_version":"v1","kind":"NodeList","items":[]})",
      R"({"api_version":"v1","kind":"Node","metadata":{"name":"a"}})",
      R"([{"api_version":null,"kind":null,"metadata":{"creation_timestamp":"x","name":"a"}}])");
  CAPTURE(text);
  CHECK(refusal_of(text).find("to_dict()") != std::string::npos);
}

TEST_CASE("logs between the objects of a dump are skipped", "[source][lacking]") {
  const std::string nodes = kind_list("Node", "{}", R"({"metadata":{"name":"a"}})");
  const std::string log =
      "\n==== START logs for container c of pod x/p ====\n{\"kind\":\n"
      "==== END logs for container c of pod x/p ====\n";
  const std::string sets = kind_list("DaemonSet", "{}", daemon_set("x", "a"));
  const std::string filler = GENERATE(std::string(), std::string(std::size_t{5} << 20U, ' '));
  const Folder folder;
  folder.write("dump.json", nodes + filler + log + log + sets);
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == 1);
  CHECK(snapshot->cluster.daemon_sets.size() == 1);

  folder.write("dump.json", nodes + filler + log.substr(0, log.size() - 20));
  const auto cut = load(folder);
  REQUIRE_FALSE(cut);
  CHECK(cut.error().what.find("a log does not end") != std::string::npos);
}

TEST_CASE("files without an extension are read if they begin like objects", "[source][lacking]") {
  const Folder folder;
  folder.write("k8s-resources", mixed(daemon_set("x", "a")));
  folder.write("more", "---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
  folder.write("LICENSE", "All rights reserved");
  folder.write("script", "{ echo x; }");
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.daemon_sets.size() == 1);
  CHECK(snapshot->cluster.nodes.size() == 1);
}

TEST_CASE("the events of a watch are read and the newest object counts", "[source][lacking]") {
  const auto event = [](const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
  };
  const auto node = [](const std::string& name, const std::string& zone) {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":")" +
           name + R"(","labels":{"zone":")" + zone + R"("}}})";
  };
  const bool yaml = GENERATE(false, true);
  const std::string separator = yaml ? "---\n" : "";
  const Folder folder;
  folder.write(yaml ? "watch.yaml" : "watch.json",
               separator + event("ADDED", node("a", "1")) + separator +
                   event("ADDED", node("b", "1")) + separator + event("MODIFIED", node("a", "2")) +
                   separator + event("BOOKMARK", R"({"kind":"Node"})") + separator +
                   event("DELETED", node("b", "1")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  REQUIRE(snapshot->cluster.nodes.size() == 1);
  CHECK(snapshot->cluster.nodes[0].meta.labels.find("zone")->view() == "2");
}

TEST_CASE("a saved Status passes its message on", "[source][lacking]") {
  const std::string status =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"nodes is forbidden"})";
  const std::string what = "a Status of the API server instead of objects: nodes is forbidden";
  const Folder folder;
  folder.write("nodes.json", status);
  const auto alone = load(folder);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().what == what);

  folder.write("daemonsets.json", kind_list("DaemonSet", "{}", daemon_set("x", "b")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  REQUIRE(snapshot->warnings.size() == 1);
  CHECK(snapshot->warnings[0].what == what);
}

TEST_CASE("output of kubectl for people is an error that names it", "[source][lacking]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]})", "a Table, the form"},
      {"NAMESPACE   NAME    DESIRED   CURRENT\nx           a       1         1\n",
       "a table that kubectl get printed"},
      {"NAME   STATUS   ROLES    AGE\na      Ready    <none>   1d\n",
       "a table that kubectl get printed"},
      {"Name:           agent\nNamespace:      x\n", "the output of kubectl describe"},
      {"No resources found in x namespace.\n", "kubectl get that found nothing"},
  }));
  const Folder folder;
  folder.write("x.json", text);
  const auto snapshot = load(folder);
  CAPTURE(text);
  REQUIRE_FALSE(snapshot);
  CHECK(snapshot.error().what.find(what) != std::string::npos);
  REQUIRE(snapshot.error().hints.size() <= 1);
}

TEST_CASE("lists of Go programs in YAML have no kind", "[source][lacking]") {
  const bool large = GENERATE(false, true);
  std::string items;
  for (int i = 0; i < (large ? 9'000 : 2); ++i) {
    items += "- metadata:\n    name: node-" + std::to_string(i) + "\n  spec: {}\n";
  }
  const Folder folder;
  folder.write("nodes.yaml", "items:\n" + items + "metadata:\n  resourceVersion: '1'\n");
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == (large ? 9'000U : 2U));
  CHECK(snapshot->cluster.all_nodes_known);
}
