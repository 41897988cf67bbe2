// SPDX-License-Identifier: Apache-2.0
#include "placement/namespace_selector.h"

#include <catch2/catch.hpp>
#include <utility>

#include "placement/verdict.h"

namespace dsdoctor::placement {

TEST_CASE("a selector in an annotation may have only equalities", "[placement]") {
  CHECK(parse_equalities("") == model::Labels{});
  CHECK(parse_equalities(" \n") == model::Labels{});
  CHECK(parse_equalities("a=b,\n c=d\n") == model::Labels{{"a", "b"}, {"c", "d"}});
  CHECK(parse_equalities("a==b") == model::Labels{{"a", "b"}});
  CHECK(parse_equalities("a=") == model::Labels{{"a", ""}});
  for (const char* other :
       {"a", "a in (b)", "!a", "=b", "a!=b", "a b=c", "a=b c", "a=b/c", "a=b,"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_equalities(other));
  }
}

TEST_CASE("without namespaces the selector is derived from pods and status", "[placement]") {
  model::Cluster cluster;
  cluster.nodes_known = true;
  for (const char* role : {"worker", "master"}) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = role;
    node.meta.labels = {{"role", role}};
  }
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "infra";
  ds.meta.name = "agent";
  ds.generation = ds.observed_generation = 1;
  ds.reported.desired_number_scheduled = 1;
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "infra";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
  pod.node_selector = {{"role", "worker"}};
  const auto found = [&] {
    set_namespace_selectors(cluster);
    return std::exchange(cluster.daemon_sets[0].pod_template.namespace_selector, {});
  };
  CHECK(found() == model::Labels{{"role", "worker"}});
  SECTION("nodes that are added later do not change it") {
    set_namespace_selectors(cluster);
    cluster.nodes.push_back(cluster.nodes.front());
    CHECK(found() == model::Labels{{"role", "worker"}});
  }
  SECTION("Kubernetes' own controller counts all nodes") {
    ds.reported.desired_number_scheduled = 2;
    CHECK(found().empty());
  }
  SECTION("the status of an older template is ignored") {
    ds.generation = 2;
    CHECK(found().empty());
  }
  SECTION("a pod without a node selector rules it out") {
    cluster.pods.push_back(pod);
    cluster.pods.back().node_selector = {};
    CHECK(found().empty());
  }
  SECTION("the selector is derived for each DaemonSet separately") {
    auto& all = cluster.daemon_sets;
    all = {ds, ds, ds, ds};
    all[0].meta.ns = "read";
    cluster.namespaces.emplace_back().meta.name = "read";
    all[1].meta.name = "has-shown-it";
    all[1].pod_template.namespace_selector = {{"role", "worker"}};
    all[2].meta.name = "has-no-pod";
    set_namespace_selectors(cluster);
    CHECK(all[0].pod_template.namespace_selector.empty());
    CHECK(all[1].pod_template.namespace_selector == model::Labels{{"role", "worker"}});
    CHECK(all[2].pod_template.namespace_selector.empty());
    CHECK(all[3].pod_template.namespace_selector == model::Labels{{"role", "worker"}});
  }
  SECTION("the namespaces were read") {
    cluster.known.namespaces = true;
    CHECK(found().empty());
  }
}

TEST_CASE("OpenShift's controller applies the node selector of a namespace", "[placement]") {
  model::Cluster cluster;
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "infra";
  model::Namespace& ns = cluster.namespaces.emplace_back();
  ns.meta.name = "infra";
  ns.annotations = {{"openshift.io/node-selector", "role=worker"}};
  model::Node worker;
  worker.meta.labels = {{"role", "worker"}};
  model::Node master;
  master.meta.labels = {{"role", "master"}};
  const auto evaluated = [&](const model::Node& node) {
    set_namespace_selectors(cluster);
    return Evaluator(cluster.daemon_sets[0].pod_template, {}).evaluate(node);
  };
  CHECK(evaluated(master).decision == Decision::Run);  // not OpenShift
  ns.annotations.set("openshift.io/sa.scc.mcs", "s0:c1");
  CHECK(evaluated(worker).decision == Decision::Run);
  CHECK(evaluated(master).decision == Decision::Exclude);
  CHECK(evaluated(master).reasons ==
        std::vector<Reason>{NodeSelectorMismatch{"role", "worker", "master", true}});
  // It does not change the decision for a node that should not run the pod anyway, but it is one of
  // the reasons there, too.
  master.taints = {{"a", "", "NoSchedule"}};
  CHECK(evaluated(master).decision == Decision::Keep);
  CHECK(evaluated(master).reasons.size() == 2);
  master.taints.clear();
  SECTION("the evaluator lists the keys of the namespace's selector") {
    const Evaluator evaluator(cluster.daemon_sets[0].pod_template, {});
    REQUIRE(evaluator.label_uses().size() == 1);
    CHECK(evaluator.label_uses()[0].key == "role");
  }
  SECTION("the annotation of the scheduler has precedence") {
    ns.annotations.set("scheduler.alpha.kubernetes.io/node-selector", "");
    CHECK(heeded_annotation(ns) == namespace_selector_annotation);
    CHECK(evaluated(master).decision == Decision::Run);
  }
  SECTION("the selector of another namespace is ignored") {
    ds.meta.ns = "other";
    cluster.known.namespaces = true;
    CHECK(evaluated(master).decision == Decision::Run);
  }
}

}  // namespace dsdoctor::placement
