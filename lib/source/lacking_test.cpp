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

std::string list_of(const std::string& kind, const std::string& metadata,
                    const std::string& items) {
  const std::string version = kind == "DaemonSet" ? "apps/v1" : "v1";
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(List","metadata":)" +
         metadata + R"(,"items":[)" + items + "]}";
}

std::string daemon_set(const std::string& ns, const std::string& name) {
  return R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":")" + ns +
         R"(","name":")" + name + R"(","uid":"u-)" + name + R"("}})";
}

}  // namespace

TEST_CASE("a page of a list is not the whole list", "[source][lacking]") {
  const auto [kind, item] = GENERATE(table<std::string, std::string>({
      {"Node", R"({"metadata":{"name":"a"}})"},
      {"DaemonSet", R"({"metadata":{"namespace":"x","name":"a"}})"},
      {"Pod", R"({"metadata":{"namespace":"x","name":"a"}})"},
  }));
  const std::string metadata = GENERATE(R"({"continue":"t"})", R"({"remainingItemCount":1})");
  const std::string text = list_of(kind, metadata, item);
  const bool yaml = GENERATE(false, true);
  const Folder folder;
  folder.write(yaml ? "page.yaml" : "page.json", yaml ? "---\n" + text : text);
  folder.write("daemonsets.json", list_of("DaemonSet", "{}", daemon_set("x", "b")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CAPTURE(kind, metadata);
  CHECK(messages(*snapshot, base::lower_case(kind) + "s").size() == 1);
  CHECK(model::lacks_daemon_sets(snapshot->omissions) == (kind == "DaemonSet"));
  if (kind == "DaemonSet") CHECK_FALSE(snapshot->cluster.known.daemon_sets);
  if (kind == "Node") CHECK_FALSE(snapshot->cluster.all_nodes_known);
  if (kind == "Pod") CHECK_FALSE(snapshot->cluster.all_pods_known);
}

TEST_CASE("all pages of a list with one resourceVersion are the list", "[source][lacking]") {
  const Folder folder;
  folder.write("1.json", list_of("DaemonSet", R"({"resourceVersion":"7","continue":"t"})",
                                 daemon_set("x", "a")));
  folder.write("2.json", list_of("DaemonSet", R"({"resourceVersion":"7"})", daemon_set("y", "b")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(messages(*snapshot, "daemonsets").empty());
  CHECK(snapshot->cluster.known.daemon_sets);

  const Folder backwards;
  backwards.write("1.json",
                  list_of("DaemonSet", R"({"resourceVersion":"7"})", daemon_set("y", "b")));
  backwards.write("2.json", list_of("DaemonSet", R"({"resourceVersion":"7","continue":"t"})",
                                    daemon_set("x", "a")));
  const auto reversed = load(backwards);
  REQUIRE(reversed);
  CHECK(messages(*reversed, "daemonsets").empty());
  CHECK(reversed->cluster.known.daemon_sets);

  folder.write("2.json", list_of("DaemonSet", R"({"resourceVersion":"8"})", daemon_set("y", "b")));
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
  const bool yaml = GENERATE(false, true);
  const Folder folder;
  folder.write(yaml ? "nodes.yaml" : "nodes.json", yaml ? "---\n" + text : text);
  const auto snapshot = load(folder);
  CAPTURE(text, yaml);
  REQUIRE_FALSE(snapshot);
  CHECK(snapshot.error().what.find("is not an array") != std::string::npos);
}

TEST_CASE("null items are an empty list", "[source][lacking]") {
  const Folder folder;
  folder.write(
      "pods.json",
      R"({"apiVersion":"v1","kind":"PodList","items":null,"metadata":{"resourceVersion":"1"}})");
  folder.write("daemonsets.json", list_of("DaemonSet", "{}", daemon_set("x", "a")));
  const auto snapshot = load(folder);
  REQUIRE(snapshot);
  CHECK(messages(*snapshot, "pods").empty());
}
