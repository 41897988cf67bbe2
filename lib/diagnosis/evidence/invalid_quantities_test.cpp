// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/invalid_quantities.h"

#include <catch2/catch.hpp>

namespace dsdoctor::diagnosis {
namespace {

TEST_CASE("invalid quantities are reported with object and field", "[diagnosis][row 125]") {
  model::Cluster cluster;
  model::Node node;
  node.meta.name = model::Text("n1");
  node.allocatable = {{model::Text("cpu"), model::Text("1 Gi")},
                      {model::Text("memory"), model::Text("")},
                      {model::Text("pods"), model::Text("110")}};
  cluster.nodes.push_back(node);
  model::Pod pod;
  pod.meta.ns = model::Text("a");
  pod.meta.name = model::Text("p");
  model::Container container;
  container.requests = {{model::Text("cpu"), model::Text("two")},
                        {model::Text("memory"), model::Text("1e3")}};
  model::PodSpec spec;
  spec.containers = {container};
  pod.spec = spec;
  cluster.pods.push_back(pod);
  const auto found = invalid_quantities(cluster);
  for (const auto& warning : found) UNSCOPED_INFO(warning.where);
  REQUIRE(found.size() == 3);
  CHECK(found[0].where == "Node/n1 status.allocatable[cpu]");
  CHECK(found[0].what == "\"1 Gi\" is not a quantity such as 500m, 2 or 1Gi; it is ignored");
  CHECK(found[1].where == "Node/n1 status.allocatable[memory]");
  CHECK(found[2].where == "Pod/a/p spec.containers[0].resources.requests[cpu]");
  const ObjectRef of_node = {"Node", "", "n1"};
  CHECK(invalid_offers(node) ==
        std::vector<Evidence>{{of_node, "status.allocatable['cpu']", "1 Gi"},
                              {of_node, "status.allocatable['memory']", ""}});
  const ObjectRef of_pod = {"Pod", "a", "p"};
  CHECK(invalid_requests(spec, of_pod, "spec") ==
        std::vector<Evidence>{{of_pod, "spec.containers[0].resources.requests['cpu']", "two"}});
}

}  // namespace
}  // namespace dsdoctor::diagnosis
