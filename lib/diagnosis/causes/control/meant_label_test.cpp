// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/meant_label.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("the meant label is found among all nodes", "[diagnosis]") {
  model::Cluster cluster;
  for (const char* name : {"a", "b", "c"}) cluster.nodes.emplace_back().meta.name = name;
  cluster.nodes[0].meta.labels = {{"pool", "web"}, {"zone", "z1"}};
  cluster.nodes[1].meta.labels = {{"pool", "monitoring"}, {"zone", "z3"}};
  cluster.nodes[2].meta.labels = {{"pool", "monitoring"}, {"Disk-Type", "ssd"}};
  model::DaemonSet ds;
  const auto meant = [&] {
    const Facts facts(cluster, model::Time(std::chrono::seconds(1'700'000'000)));
    const auto found = meant_label(ds, facts);
    if (!found) return std::string("none");
    return found->meant.node->meta.name.str() + " " + found->meant.label.key.str() + "=" +
           found->meant.label.value.str();
  };
  const auto with = [&](const char* key, const char* value) {
    ds.pod_template.node_selector = {{key, value}};
    return meant();
  };
  CHECK(with("pool", "monitorng") == "b pool=monitoring");
  CHECK(with("pool", "monitoring") == "none");
  CHECK(with("pol", "monitoring") == "b pool=monitoring");
  CHECK(with("zone", "z11") == "a zone=z1");
  CHECK(with("zone", "z2") == "none");
  CHECK(with("disktype", "ssd") == "c Disk-Type=ssd");
  cluster.nodes[2].meta.labels.set("zone", "z12");
  CHECK(with("zone", "z11") == "none");  // there are that many zones
  ds.pod_template.node_selector = {};
  model::NodeSelector affinity;
  affinity.terms.push_back({{{"pool", "In", {"monitorng", "databases"}}}, {}});
  ds.pod_template.node_affinity = affinity;
  CHECK(meant() == "b pool=monitoring");
  affinity.terms[0].match_expressions[0].values.emplace_back("web");
  ds.pod_template.node_affinity = affinity;
  CHECK(meant() == "none");  // nodes match one of the values
}
