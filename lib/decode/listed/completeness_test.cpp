// SPDX-License-Identifier: Apache-2.0

// An object that is missing in the input may exist in the cluster.
#include "decode/listed/completeness.h"

#include <catch2/catch.hpp>

#include "decode/cluster/documents.h"

using namespace dsdoctor;
using decode::Expected;
using decode::Kind;

namespace {

std::string node(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("}})";
}

/// `status`: the fields of the status, as JSON.
std::string ds(const std::string& ns, const std::string& status) {
  return R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":")" + ns +
         R"(","generation":1})" + (status.empty() ? "" : R"(,"status":{)" + status + "}") + "}";
}

std::string counts(int nodes) {
  const std::string number = std::to_string(nodes);
  return R"("observedGeneration":1,"desiredNumberScheduled":)" + number +
         R"(,"currentNumberScheduled":)" + number;
}

std::string pod(const std::string& ns, const std::string& on) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p-)" + on + R"(","namespace":")" +
         ns + R"(","ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}]},)" +
         R"("spec":{"nodeName":")" + on + R"("}})";
}

std::string removal(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default"},
    "reason":"RemovingNode","involvedObject":{"kind":"Node","name":")" +
         name + R"("}})";
}

std::string list(const std::vector<std::string>& items) {
  std::string result;
  for (const std::string& item : items) result += (result.empty() ? "" : ",") + item;
  return R"({"apiVersion":"v1","kind":"List","items":[)" + result + "]}";
}

struct File {
  std::string content;
  Expected expected = {};
};

model::Cluster read(const std::vector<File>& files) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  for (const File& file : files) {
    CHECK(decode::read_documents(file.content, "x", builder, warnings, file.expected));
  }
  return builder.build();
}

using ModelTexts = std::vector<model::Text>;

}  // namespace

TEST_CASE("pods of one namespace do not make those of another known", "[decode][completeness]") {
  const std::string nodes = list({node("a")});
  const std::string sets = list({ds("x", counts(1)), ds("y", counts(1))});
  const std::string of_y = pod("y", "a");
  CHECK(read({{nodes}, {sets}, {of_y}}).namespaces_without_pods == ModelTexts{"x"});
  CHECK(read({{nodes}, {sets}, {list({of_y})}}).namespaces_without_pods == ModelTexts{"x"});
  CHECK(read({{list({node("a"), ds("x", counts(1)), of_y})}}).namespaces_without_pods ==
        ModelTexts{"x"});
  CHECK_FALSE(read({{nodes}, {sets}, {of_y}}).all_pods_known);
}

TEST_CASE("pods are known from a complete list", "[decode][completeness]") {
  const std::string sets = list({node("a"), ds("x", counts(1)), ds("y", counts(1))});
  const auto pods_are_known = [&](const std::vector<File>& pods) {
    std::vector<File> files{{sets}};
    files.insert(files.end(), pods.begin(), pods.end());
    const model::Cluster cluster = read(files);
    return cluster.pods_known && cluster.namespaces_without_pods.empty();
  };
  CHECK(pods_are_known({{list({pod("y", "a"), pod("z", "a")})}}));            // of all namespaces
  CHECK(pods_are_known({{R"({"kind":"PodList","items":[]})"}}));              // a list without pods
  CHECK(pods_are_known({{list({pod("x", "a")})}, {list({pod("y", "a")})}}));  // two lists
  CHECK(pods_are_known({{pod("x", "a")}, {pod("y", "a")}}));  // as many as in the status
  CHECK_FALSE(pods_are_known({{list({}), {Kind::Pod, "x"}}}));
  CHECK(pods_are_known({{list({}), {Kind::Pod, "x"}}, {list({}), {Kind::Pod, "y"}}}));
}

TEST_CASE("the status decides whether single pods are complete", "[decode][completeness]") {
  const auto without = [](const std::string& set, const std::string& pods) {
    return read({{list({node("a"), node("b")})}, {set}, {pods}}).namespaces_without_pods;
  };
  CHECK(without(ds("x", counts(2)), pod("x", "a")) == ModelTexts{"x"});
  CHECK(without(ds("x", counts(1)), pod("x", "a")).empty());
  CHECK(without(ds("x", ""), pod("x", "a")).empty());
  CHECK(without(ds("x", counts(0)), pod("y", "a")).empty());
  CHECK(without(ds("x", R"("currentNumberScheduled":0)"), pod("y", "a")).empty());
  CHECK(without(ds("x", ""), pod("y", "a")).empty());  // a manifest
}

TEST_CASE("without pods the statuses decide whether there are any", "[decode][completeness]") {
  CHECK(read({{list({node("a"), ds("x", counts(0))})}}).pods_known);
  CHECK(read({{list({node("a"), ds("x", R"("currentNumberScheduled":0)")})}}).pods_known);
  CHECK_FALSE(read({{list({node("a"), ds("x", counts(1))})}}).pods_known);
  CHECK_FALSE(read({{list({node("a"), ds("x", counts(0)), ds("y", counts(1))})}}).pods_known);
  CHECK(read({{list({node("a"), ds("x", "")})}}).pods_known);
}

TEST_CASE("single nodes are complete if no status counts more", "[decode][completeness]") {
  const std::string pods = list({pod("x", "a")});
  CHECK(read({{node("a")}, {ds("x", counts(1))}, {pods}}).all_nodes_known);
  CHECK_FALSE(read({{node("a")}, {ds("x", counts(2))}, {pods}}).all_nodes_known);
  CHECK(read({{list({node("a")})}, {ds("x", counts(2))}, {pods}}).all_nodes_known);
  CHECK(read({{node("a")}, {ds("x", R"("desiredNumberScheduled":2)")}, {pods}}).all_nodes_known);
}

TEST_CASE("a node exists if the status counts its pod", "[decode][completeness]") {
  const std::string pods = list({pod("x", "a"), pod("x", "gone"), pod("x", "lost")});
  const std::string nodes = list({node("a"), node("b")});
  const model::Cluster filtered = read({{nodes}, {ds("x", counts(3))}, {pods}});
  CHECK_FALSE(filtered.all_nodes_known);
  CHECK(decode::unread_nodes(filtered) == ModelTexts{"gone", "lost"});
  const model::Cluster deleted = read({{nodes}, {ds("x", counts(1))}, {pods}});
  CHECK(deleted.all_nodes_known);
  CHECK(decode::unread_nodes(deleted).empty());
  CHECK(decode::unread_nodes(read({{nodes}, {ds("x", "")}, {pods}})).empty());  // no status
  const auto removed = read({{nodes}, {ds("x", counts(3))}, {pods}, {removal("lost")}});
  CHECK(decode::unread_nodes(removed) == ModelTexts{"gone"});
}
