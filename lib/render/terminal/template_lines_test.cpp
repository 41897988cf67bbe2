// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/template_lines.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"

using namespace dsdoctor;

namespace {

using Sentences = std::vector<std::string>;

/// Six nodes: one without labels, one of pool gpu, the others of pool general, one of them tainted.
model::Cluster six_nodes() {
  model::Cluster cluster;
  cluster.nodes_known = true;
  for (int i = 0; i < 6; ++i) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = fmt::format("n{}", i);
    if (i != 0) node.meta.labels.set("pool", i == 1 ? "gpu" : "general");
    if (i == 5) node.taints.push_back({"dedicated", "db", "NoSchedule"});
  }
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "mon";
  ds.meta.name = "agent";
  return cluster;
}

Sentences sentences_of(const model::Cluster& cluster) {
  const diagnosis::Reporter reporter(cluster, {{}, model::Time(), nullptr});
  const auto explanation = fixes::explain(reporter, {&cluster.daemon_sets.front()});
  return render::template_sentences(explanation.daemon_sets.front());
}

}  // namespace

TEST_CASE("each part of the template has its line with the nodes that it keeps out", "[render]") {
  model::Cluster cluster = six_nodes();
  model::PodTemplate& of = cluster.daemon_sets.front().pod_template;
  CHECK(sentences_of(cluster) ==
        Sentences{"tolerations: none; nodes kept out: 1 by taint dedicated=db:NoSchedule"});
  of.tolerations = {{"dedicated", "Equal", "db", "NoSchedule"}};
  CHECK(sentences_of(cluster) == Sentences{"tolerations: dedicated=db:NoSchedule"});
  of.node_selector.set("pool", "general");
  CHECK(sentences_of(cluster) ==
        Sentences{"node selector: pool=general; nodes kept out: 2 by node selector pool=general",
                  "tolerations: dedicated=db:NoSchedule"});
  of.node_selector = {};
  model::NodeSelector selector;
  selector.terms.push_back({{{"pool", "In", {"gpu", "spot"}}}, {}});
  of.node_affinity = selector;
  of.tolerations = {{"", "Exists", "", ""}, {"x", "Exists", "", "NoExecute", 300}};
  const Sentences of_affinity = sentences_of(cluster);
  REQUIRE(of_affinity.size() == 2);
  CHECK(of_affinity[0].find("node affinity: pool In [gpu, spot]; nodes kept out: 5 by ") == 0);
  CHECK(of_affinity[1] == "tolerations: every taint, x:NoExecute for 300s");
}

TEST_CASE("a template without rules has no line", "[render]") {
  model::Cluster cluster = six_nodes();
  cluster.nodes.pop_back();
  CHECK(sentences_of(cluster).empty());
  cluster.nodes_known = false;
  cluster.nodes.clear();
  CHECK(sentences_of(cluster).empty());
}
