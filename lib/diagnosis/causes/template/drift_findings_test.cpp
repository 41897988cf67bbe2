// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/drift_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"
#include "placement/namespace_selector.h"
#include "placement/tolerates.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

constexpr const char* alpha = "scheduler.alpha.kubernetes.io/node-selector";

/// Ten nodes, three of them in pool infra, each with a pod as the API server stores them.
TestStory ten_nodes() {
  TestStory story;
  story.nodes({"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"});
  for (std::size_t i = 0; i < 3; ++i) story.cluster.nodes[i].meta.labels = {{"pool", "infra"}};
  model::Container container;
  container.name = "app";
  container.requests = {{"cpu", "100m"}};
  story.ds().pod_template.spec.containers = {container};
  for (const model::Node& node : story.cluster.nodes) {
    model::Pod& pod = story.pod(node.meta.name.str().c_str());
    pod.spec = story.ds().pod_template.spec;
    pod.tolerations = placement::effective_tolerations({}, false);
  }
  return story;
}

model::Namespace& annotate(TestStory& story, const char* key, const char* value) {
  model::Namespace& ns = story.cluster.namespaces.emplace_back();
  ns.meta.name = "x";
  ns.annotations = {{key, value}};
  return ns;
}

void select_everywhere(TestStory& story, const model::Labels& selector) {
  for (model::Pod& pod : story.cluster.pods) pod.node_selector = selector;
}

}  // namespace

TEST_CASE("pods that equal their template have no finding", "[drift]") {
  CHECK(ten_nodes().ask(drift_findings).empty());
}

TEST_CASE("a namespace's node selector that the controller ignores is reported", "[drift]") {
  TestStory story = ten_nodes();
  annotate(story, alpha, "pool=infra");
  select_everywhere(story, {{"pool", "infra"}});
  const Finding finding = only(story.ask(drift_findings));
  CHECK(finding.id == FindingId::DriftNamespaceNodeSelector);
  CHECK(finding.severity == Severity::Error);
  CHECK(text_of(finding.message) ==
        "the namespace adds nodeSelector pool=infra to its pods, which the DaemonSet controller "
        "ignores: 7 nodes (n3, n4, n5, n6, n7 and 2 more) get a pod that can never be scheduled");
  CHECK(fix_of(finding).find(
            "kubectl annotate ns x scheduler.alpha.kubernetes.io/node-selector=\"\" --overwrite") !=
        std::string::npos);
  SECTION("suspected if no pod has it") {
    select_everywhere(story, {});
    CHECK(only(story.ask(drift_findings)).severity == Severity::Info);
    CHECK(only(story.ask(drift_findings)).basis == Basis::Suspected);
  }
  SECTION("nothing if the template has the same selector or every node matches") {
    story.ds().pod_template.node_selector = {{"pool", "infra"}};
    CHECK(story.ask(drift_findings).empty());
    story.ds().pod_template.node_selector = {};
    for (model::Node& node : story.cluster.nodes) node.meta.labels = {{"pool", "infra"}};
    CHECK(story.ask(drift_findings).empty());
  }
  SECTION("OpenShift's controller uses it and the nodes are not eligible") {
    story.cluster.namespaces.front().annotations.set("openshift.io/sa.scc.uid-range", "1/1");
    placement::set_namespace_selectors(story.cluster);
    CHECK(only(story.ask(drift_findings)).id == FindingId::DriftOpenshiftNodeSelector);
  }
}

TEST_CASE("OpenShift's node selector of a namespace is reported", "[drift]") {
  TestStory story = ten_nodes();
  model::Namespace& ns = annotate(story, "openshift.io/node-selector", "pool=infra");
  CHECK(story.ask(drift_findings).empty());  // not an OpenShift cluster
  ns.annotations.set("openshift.io/sa.scc.mcs", "s0:c1");
  placement::set_namespace_selectors(story.cluster);
  const Finding finding = only(story.ask(drift_findings));
  CHECK(finding.severity == Severity::Info);
  CHECK(finding.id == FindingId::DriftOpenshiftNodeSelector);
  CHECK(text_of(finding.message).find("excludes 7 nodes (n3, n4, n5, n6, n7 and 2 more)") !=
        std::string::npos);
  SECTION("it explains a selector that admission added to the pods") {
    select_everywhere(story, {{"pool", "infra"}});
    CHECK(only(story.ask(drift_findings)).id == FindingId::DriftOpenshiftNodeSelector);
    for (model::Node& node : story.cluster.nodes) node.meta.labels = {{"pool", "infra"}};
    CHECK(story.ask(drift_findings).empty());
    ns.annotations.set(alpha, "");
    placement::set_namespace_selectors(story.cluster);
    CHECK(only(story.ask(drift_findings)).id == FindingId::DriftPodMutated);
  }
  SECTION("it is not used if the other annotation replaces it") {
    ns.annotations.set(alpha, "");
    placement::set_namespace_selectors(story.cluster);
    CHECK(story.ask(drift_findings).empty());
  }
}

TEST_CASE("default tolerations of a namespace are added too late to count", "[drift]") {
  TestStory story = ten_nodes();
  model::Namespace& ns =
      annotate(story, "scheduler.alpha.kubernetes.io/defaultTolerations", "[...]");
  ns.default_tolerations = {{"gpu", "Exists", "", ""}};
  CHECK(story.ask(drift_findings).empty());
  story.cluster.nodes.back().taints = {{"gpu", "a", "NoSchedule"}};
  const Finding finding = only(story.ask(drift_findings));
  CHECK(finding.id == FindingId::DriftNamespaceTolerations);
  CHECK(finding.severity == Severity::Info);
  CHECK(text_of(finding.message)
            .starts_with(
                "defaultTolerations: the namespace's default tolerations tolerate gpu, which"));
  SECTION("a toleration without a key covers every taint") {
    ns.default_tolerations = {{"", "Exists", "", ""}};
    CHECK(only(story.ask(drift_findings)).id == FindingId::DriftNamespaceTolerations);
  }
  SECTION("a toleration with another effect or value or key covers no taint") {
    for (const model::Toleration& toleration :
         {model::Toleration{"gpu", "Exists", "", "NoExecute"},
          model::Toleration{"gpu", "Equal", "b", "NoSchedule"},
          model::Toleration{"gpu", "", "", ""}, model::Toleration{"gpus", "Exists", "", ""}}) {
      ns.default_tolerations = {toleration};
      CHECK(story.ask(drift_findings).empty());
    }
  }
}

TEST_CASE("a RuntimeClass that excludes eligible nodes is reported", "[drift]") {
  TestStory story = ten_nodes();
  story.ds().pod_template.spec.runtime_class = "gvisor";
  model::RuntimeClass& runtime_class = story.cluster.runtime_classes.emplace_back();
  runtime_class.meta.name = "gvisor";
  runtime_class.node_selector = {{"pool", "infra"}};
  select_everywhere(story, {{"pool", "infra"}});
  const Finding finding = only(story.ask(drift_findings));
  CHECK(finding.id == FindingId::DriftRuntimeclass);
  CHECK(finding.basis == Basis::Confirmed);
  CHECK(fix_of(finding) == "add the nodeSelector of RuntimeClass gvisor to the template");
}

TEST_CASE("pods that were changed after creation are reported", "[drift]") {
  TestStory story = ten_nodes();
  model::Pod& pod = story.cluster.pods.front();
  SECTION("nodeSelector") {
    pod.node_selector = {{"disk", "ssd"}};
    const Finding finding = only(story.ask(drift_findings));
    CHECK(finding.id == FindingId::DriftPodMutated);
    CHECK(finding.severity == Severity::Warning);
    CHECK(text_of(finding.message) ==
          "pods differ from the template: nodeSelector of 1 pod: disk=ssd added");
    CHECK(finding.evidence ==
          std::vector{Evidence({"Pod", "x", "p1"}, "spec.nodeSelector", "disk=ssd")});
    TestStory::unbind(pod, "n0", "0/10 nodes are available");
    CHECK(only(story.ask(drift_findings)).severity == Severity::Error);
  }
  SECTION("missing tolerations and additional ones") {
    auto tolerations = *pod.tolerations;
    tolerations.push_back({"gpu", "Exists", "", ""});
    pod.tolerations = tolerations;
    CHECK(only(story.ask(drift_findings)).severity == Severity::Info);
    tolerations.erase(tolerations.begin());
    pod.tolerations = tolerations;
    const Finding finding = only(story.ask(drift_findings));
    CHECK(finding.severity == Severity::Warning);
    CHECK(text_of(finding.message).ends_with("node.kubernetes.io/not-ready:NoExecute missing"));
  }
  SECTION("a toleration that another one covers is not missing") {
    story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
    for (model::Pod& one : story.cluster.pods) {
      one.tolerations = std::vector<model::Toleration>{{"", "Exists", "", ""}};
    }
    CHECK(story.ask(drift_findings).empty());
    story.cluster.version = model::ServerVersion{1, 30, 0, "v1.30.0"};
    CHECK(story.ask(drift_findings).empty());
    // A limited time is not forever, and one effect is not every effect.
    pod.tolerations = std::vector<model::Toleration>{{"", "Exists", "", "", 300}};
    CHECK(only(story.ask(drift_findings)).severity == Severity::Warning);
    pod.tolerations = std::vector<model::Toleration>{{"", "Exists", "", "NoSchedule"}};
    CHECK(only(story.ask(drift_findings)).severity == Severity::Warning);
  }
  SECTION("a toleration that an old controller never added was not removed") {
    for (model::Pod& one : story.cluster.pods) {
      one.tolerations = std::vector<model::Toleration>{
          {"node.kubernetes.io/not-ready", "Exists", "", "NoExecute"}};
    }
    CHECK(story.ask(drift_findings).empty());
    story.cluster.nodes.front().kubelet_version = "v1.21.1";
    CHECK(only(story.ask(drift_findings)).severity == Severity::Warning);
    story.cluster.version = model::ServerVersion{1, 8, 4, "v1.8.4"};
    CHECK(story.ask(drift_findings).empty());
  }
  SECTION("a toleration without a matching taint has no effect yet") {
    story.ds().pod_template.tolerations = {{"gpu", "Exists", "", ""}};
    CHECK(only(story.ask(drift_findings)).severity == Severity::Info);
    story.cluster.nodes.back().taints = {{"gpu", "", "NoSchedule"}};
    CHECK(only(story.ask(drift_findings)).severity == Severity::Warning);
  }
  SECTION("a selector that every eligible node satisfies changes no decision") {
    for (model::Node& node : story.cluster.nodes) node.meta.labels.set("disk", "ssd");
    pod.node_selector = {{"disk", "ssd"}};
    CHECK(only(story.ask(drift_findings)).severity == Severity::Info);
  }
  SECTION("defaults of admission plug-ins are not drift") {
    auto tolerations = *pod.tolerations;
    tolerations.push_back({"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule"});
    tolerations.push_back({"nvidia.com/gpu", "Exists", "", ""});
    pod.tolerations = tolerations;
    model::PodSpec spec = *pod.spec;
    spec.containers.front().requests = {{"cpu", "100m"}, {"nvidia.com/gpu", "1"}};
    pod.spec = spec;
    CHECK(story.ask(drift_findings).empty());
  }
  SECTION("requests, scheduler, priority class and host network") {
    model::PodSpec spec = *pod.spec;
    spec.containers.front().requests = {{"cpu", "1"}};
    spec.scheduler_name = "own";
    pod.spec = spec;
    pod.host_network = true;
    story.ds().pod_template.spec.priority_class = "high";
    const Finding finding = only(story.ask(drift_findings));
    CHECK(finding.severity == Severity::Info);  // no field decides where the pod can run
    const std::string message = text_of(finding.message);
    for (const char* part :
         {"hostNetwork of 1 pod: false in the template, true in the pods",
          "schedulerName of 1 pod: default-scheduler in the template, own in the pods",
          "priorityClassName of 10 pods: high in the template, none in the pods",
          "requests of container app of 1 pod: cpu 100m in the template, 1 in the pods"}) {
      CAPTURE(message, part);
      CHECK(message.find(part) != std::string::npos);
    }
  }
  SECTION("outdated or terminating or shortened pods are skipped") {
    pod.node_selector = {{"disk", "ssd"}};
    pod.meta.deleted = at(9'000);
    CHECK(story.ask(drift_findings).empty());
    pod.meta.deleted.reset();
    pod.meta.labels = {{"app", "agent"}, {"controller-revision-hash", "old"}};
    CHECK(story.ask(drift_findings).empty());
    pod.meta.labels = {{"app", "agent"}, {"controller-revision-hash", "new"}};
    pod.tolerations = {};
    CHECK(story.ask(drift_findings).empty());
  }
}

TEST_CASE("a spec that was changed after it was applied is reported", "[drift]") {
  TestStory story;
  story.nodes({"a"});
  CHECK(story.ask(drift_findings).empty());
  story.ds().edits = {{"spec.template.spec.containers[0].resources.limits.cpu", "1000m", "1"}};
  CHECK(story.ask(drift_findings).empty());
  story.ds().edits.push_back({"spec.template.spec.nodeSelector.pool", "a", "b"});
  story.ds().edits.push_back(
      {"spec.template.spec.containers[0].env[0].value", "(not shown)", "(not shown)"});
  model::FieldManager editor;
  editor.manager = "kubectl-edit";
  editor.operation = "Update";
  editor.time = at(9000);
  editor.spec = true;
  story.ds().meta.managers = {editor};
  const auto findings = story.ask(drift_findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == FindingId::DriftSpecEdited);
  CHECK(findings[0].severity == Severity::Info);
  CHECK(findings[0].standing == Standing::Context);
  CHECK(text_of(findings[0].message) ==
        "the spec was changed after the last kubectl apply; last written by kubectl edit, not "
        "later than 2023-11-15 00:43:20 UTC: spec.template.spec.nodeSelector.pool was a, is b; "
        "spec.template.spec.containers[0].env[0].value");
  const ObjectRef ds = {"DaemonSet", "x", "agent"};
  CHECK(findings[0].evidence ==
        std::vector{Evidence(ds, "spec.template.spec.nodeSelector.pool", "b"),
                    Evidence(ds, "spec.template.spec.containers[0].env[0].value"),
                    Evidence(ds, "metadata.managedFields[0].manager", "kubectl-edit")});
}
