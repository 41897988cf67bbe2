// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/two_inputs.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

model::Cluster cluster_of(const char* system_uid, const char* node_uid, const char* ds_uid) {
  model::Cluster cluster;
  model::Namespace& system = cluster.namespaces.emplace_back();
  system.meta.name = "kube-system";
  system.meta.uid = system_uid;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "a";
  node.meta.uid = node_uid;
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "kube-system";
  ds.meta.name = "proxy";
  ds.meta.uid = ds_uid;
  return cluster;
}

}  // namespace

TEST_CASE("two clusters are recognized by the UIDs of kube-system and nodes", "[history]") {
  const model::Cluster one = cluster_of("s1", "n1", "d1");
  const auto sign = [&](const char* system_uid, const char* node_uid, const char* ds_uid) {
    return sign_of_two_clusters(one, cluster_of(system_uid, node_uid, ds_uid)).value_or("");
  };
  CHECK(sign("s1", "n1", "d1").empty());
  CHECK(sign("s2", "n1", "d1") == "Namespace kube-system");
  CHECK(sign("s1", "n2", "d2").empty());  // everything was created again
  CHECK(sign("", "n2", "d2") == "Node a");
  CHECK(sign("", "n2", "d1").empty());  // only the node was created again
  CHECK(sign("", "n1", "d2").empty());
  CHECK(sign("", "", "d2").empty());
}

TEST_CASE("UIDs that redaction numbered say nothing about the cluster", "[history]") {
  const model::Cluster first = cluster_of("00000000-0000-4000-8000-000000000001",
                                          "00000000-0000-4000-8000-000000000002", "");
  const model::Cluster second = cluster_of("00000000-0000-4000-8000-000000000003",
                                           "00000000-0000-4000-8000-000000000001", "");
  CHECK_FALSE(sign_of_two_clusters(first, second));
}

TEST_CASE("kinds of only one input are named in the order of a snapshot", "[history]") {
  model::Cluster first;
  first.events.emplace_back();
  first.pods.emplace_back();
  first.leases.emplace_back();
  first.cluster_roles.emplace_back();
  model::Cluster second;
  CHECK(kinds_only_in(first, second) ==
        std::vector<std::string_view>{"Pod", "Event", "Lease", "ClusterRole"});
  CHECK(kinds_only_in(second, first).empty());
  second.events.emplace_back();
  second.known.leases = true;  // an empty list
  CHECK(kinds_only_in(first, second) == std::vector<std::string_view>{"Pod", "ClusterRole"});
}
