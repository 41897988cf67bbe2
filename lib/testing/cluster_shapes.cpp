// SPDX-License-Identifier: Apache-2.0
#include "testing/cluster_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace dsdoctor::testing {
namespace {

using Index = std::size_t;

/// The parts of a cluster as JSON. Functions get the index of the node or DaemonSet.
struct Shape {
  std::string_view name;
  std::function<std::string(Index)> labels;       // members of an object
  std::function<std::string(Index)> taints;       // elements of an array
  std::function<std::string(Index)> requirement;  // members of a pod template's spec
  bool one_namespace = true;
  bool runs = false;  // DaemonSet N has a ready pod on node N, and nowhere else
};

std::string none(Index /*of*/) { return {}; }
std::string hostname(Index i) { return fmt::format(R"("kubernetes.io/hostname":"n{}")", i); }
std::string on_host(Index i) { return fmt::format(R"(,"nodeSelector":{{{}}})", hostname(i)); }
std::string own_label(Index i) { return fmt::format(R"("k{}":"v{}")", i, i); }
std::string pool(Index i) { return fmt::format(R"("pool":"p{}")", i % 50); }
std::string taint(std::string_view key, std::string_view value) {
  return fmt::format(R"({{"key":"{}","value":"{}","effect":"NoSchedule"}})", key, value);
}
std::string team(Index i) { return taint("team", fmt::format("v{}", i)); }
std::string own_taint(Index i) { return taint(fmt::format("t{}", i), ""); }
std::string ten_taints(Index i) {
  std::string result = own_taint(10 * i);
  for (Index t = 1; t < 10; ++t) result += "," + own_taint(10 * i + t);
  return result;
}
/// A selector that matches one node, and tolerations of twenty.
std::string own_node(Index i) {
  std::string tolerations;
  for (Index t = i; t < i + 20; ++t) {
    tolerations += fmt::format(R"({}{{"key":"t{}","operator":"Exists"}})", t == i ? "" : ",", t);
  }
  return fmt::format(R"(,"nodeSelector":{{{}}},"tolerations":[{}])", own_label(i), tolerations);
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"hosts", hostname, none, on_host},
      {"hosts-healthy", hostname, none, on_host, true, true},
      {"owners", none, team, none},
      {"own-keys", none, own_taint, none},
      {"own-all", own_label, own_taint, own_node},
      {"ten-taints", none, ten_taints, none},
      {"namespaces", none, none, none, false},
      {"near-labels", [](Index i) { return fmt::format(R"("pool":"agent{:06}")", i); }, none,
       [](Index /*of*/) { return R"(,"nodeSelector":{"pool":"agentzzzzzz"})"; }},
      {"pools", pool, none,
       [](Index i) { return fmt::format(R"(,"nodeSelector":{{{}}})", pool(i)); }},
  };
  return all;
}

std::string node(const Shape& shape, Index i) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n{}","labels":{{{}}}}},"spec":{{"taints":[{}]}}}})",
      i, shape.labels(i), shape.taints(i));
}

std::string daemon_set(const Shape& shape, Index i) {
  const Index of_namespace = shape.one_namespace ? 0 : i;
  std::string status;
  if (shape.runs) {
    status =
        R"(,"status":{"observedGeneration":1,"desiredNumberScheduled":1,"currentNumberScheduled":1,)"
        R"("numberReady":1,"numberAvailable":1,"updatedNumberScheduled":1,"numberMisscheduled":0})";
  }
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{{"name":"d{0}","namespace":"x{1}","uid":"u{0}","generation":1}},)"
      R"("spec":{{"selector":{{"matchLabels":{{"a":"d{0}"}}}},"template":{{"metadata":{{"labels":{{"a":"d{0}"}}}},)"
      R"("spec":{{"containers":[{{"name":"c","image":"i:1"}}]{2}}}}}}}{3}}})",
      i, of_namespace, shape.requirement(i), status);
}

std::string pod(Index i) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"d{0}-p","namespace":"x0","labels":{{"a":"d{0}"}},)"
      R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d{0}","uid":"u{0}","controller":true}}]}},)"
      R"("spec":{{"nodeName":"n{0}"}},"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      i);
}

}  // namespace

const std::vector<std::string_view>& cluster_shapes() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Shape& shape : shapes()) result.push_back(shape.name);
    return result;
  }();
  return names;
}

std::string cluster_of_shape(std::string_view name, std::size_t nodes, std::size_t daemon_sets) {
  const auto shape = std::ranges::find(shapes(), name, &Shape::name);
  if (shape == shapes().end()) return {};
  std::string result = R"({"apiVersion":"v1","kind":"List","items":[)";
  const auto add = [&](const std::string& item) {
    if (result.back() != '[') result += ",\n";
    result += item;
  };
  const Index count = shape->one_namespace ? daemon_sets : nodes;
  for (Index i = 0; i < (shape->one_namespace ? nodes : 1); ++i) add(node(*shape, i));
  for (Index i = 0; i < count; ++i) add(daemon_set(*shape, i));
  for (Index i = 0; shape->runs && i < std::min(count, nodes); ++i) add(pod(i));
  return result + "]}\n";
}

}  // namespace dsdoctor::testing
