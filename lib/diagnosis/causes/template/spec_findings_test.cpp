// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/spec_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

TestStory two_nodes() {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  story.pod("b");
  return story;
}

}  // namespace

namespace {

model::PodSpec requesting(const char* resource, const char* amount) {
  model::PodSpec spec;
  model::Container& container = spec.containers.emplace_back();
  container.name = "app";
  container.requests = {{resource, amount}};
  return spec;
}

/// Node b is full because of pod big/web, so the agent's pod is pending.
TestStory full_node() {
  TestStory story = two_nodes();
  story.cluster.all_pods_known = true;
  story.node("b").allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "10"}};
  story.ds().pod_template.spec = requesting("cpu", "2");
  for (model::Pod& pod : story.cluster.pods) pod.spec = story.ds().pod_template.spec;
  TestStory::unbind(story.cluster.pods[1], "b", "0/2 nodes are available: 1 Insufficient cpu.");
  model::Pod& web = story.add_pod("web", "b");
  web.meta.ns = "big";
  web.meta.controller.reset();
  web.spec = requesting("cpu", "3");
  return story;
}

}  // namespace

TEST_CASE("pods without priority that wait for room are reported", "[spec]") {
  TestStory story = full_node();
  CHECK(story.ask(spec_findings).empty());  // no priority class was read
  story.cluster.known.priority_classes = true;
  const Finding finding = only(story.ask(spec_findings));
  CHECK(finding.id == FindingId::DaemonsetNoPriority);
  CHECK(finding.severity == Severity::Info);  // the node's missing resources are the cause
  CHECK(text_of(finding.message) ==
        "the pods have priority 0 and cannot preempt other pods; 1 pod waits for resources, pod "
        "slots or ports of other pods");
  CHECK(fix_of(finding).find("kubectl") == std::string::npos);
  SECTION("the class of node agents is suggested only in kube-system") {
    for (auto* meta : {&story.ds().meta, &story.cluster.pods[0].meta, &story.cluster.pods[1].meta,
                       &story.cluster.revisions[0].meta}) {
      meta->ns = "kube-system";
    }
    CHECK(fix_of(only(story.ask(spec_findings))).find("kubectl -n kube-system patch ds agent") !=
          std::string::npos);
  }
  SECTION("any positive priority can preempt") {
    story.ds().pod_template.spec.priority_class = "high";
    CHECK(story.ask(spec_findings).empty());
    model::PriorityClass& high = story.cluster.priority_classes.emplace_back();
    high.meta.name = "high";
    high.value = 10;
    CHECK(story.ask(spec_findings).empty());
    high.value = -10;
    CHECK(story.ask(spec_findings).size() == 1);
  }
  SECTION("the default class counts and the pods' actual priority comes first") {
    model::PriorityClass& usual = story.cluster.priority_classes.emplace_back();
    usual.meta.name = "usual";
    usual.value = 10;
    usual.global_default = true;
    CHECK(story.ask(spec_findings).empty());
    model::PodSpec spec = *story.cluster.pods[0].spec;
    spec.priority = 0;
    story.cluster.pods[0].spec = spec;
    CHECK(story.ask(spec_findings).size() == 1);
  }
  SECTION("not if the pod waits for another reason") {
    story.cluster.pods.pop_back();
    CHECK(story.ask(spec_findings).empty());
  }
  SECTION("evicting a pod of another DaemonSet does not help") {
    story.cluster.pods.back().meta.controller = model::ControllerRef{"DaemonSet", "log", "uid-9"};
    CHECK(story.ask(spec_findings).empty());
  }
  SECTION("a port of another DaemonSet cannot be preempted") {
    for (model::Pod* pod : {&story.cluster.pods[1], &story.cluster.pods[2]}) {
      model::PodSpec spec = requesting("cpu", "1");
      spec.containers[0].ports = {{9100, 9100, "TCP", ""}};
      pod->spec = spec;
    }
    CHECK(story.ask(spec_findings).size() == 1);
    story.cluster.pods.back().meta.controller = model::ControllerRef{"DaemonSet", "log", "uid-9"};
    CHECK(story.ask(spec_findings).empty());
  }
  SECTION("a device that no pod uses cannot be preempted") {
    story.cluster.pods[1].spec = requesting("example.com/gpu", "1");
    story.cluster.pods[1].conditions.front().message =
        "0/2 nodes are available: 1 Insufficient example.com/gpu.";
    CHECK(story.ask(spec_findings).empty());
  }
}

TEST_CASE("an evicted pod without requests is reported", "[spec]") {
  TestStory story = two_nodes();
  model::Container container;
  container.name = "app";
  story.ds().pod_template.spec.containers = {container};
  CHECK(story.ask(spec_findings).empty());
  story.cluster.pods[1].phase = "Failed";
  story.cluster.pods[1].reason = "Evicted";
  story.cluster.pods[1].message = "Pod was rejected: The node had condition: [MemoryPressure]. ";
  CHECK(story.ask(spec_findings).empty());  // it has not run
  story.cluster.pods[1].message = "The node was low on resource: ephemeral-storage. Threshold ...";
  CHECK(story.ask(spec_findings).empty());
  story.cluster.pods[1].message = "The node was low on resource: memory. Threshold quantity: ...";
  CHECK(only(story.ask(spec_findings)).id == FindingId::DaemonsetBestEffort);
  CHECK(only(story.ask(spec_findings)).severity == Severity::Warning);
  story.ds().pod_template.spec.containers.front().limits = {{"memory", "1Gi"}};
  CHECK(story.ask(spec_findings).empty());
}

TEST_CASE("a claim that all pods share is reported", "[spec]") {
  TestStory story = two_nodes();
  story.ds().pod_template.spec.volumes = {{"data", "persistentVolumeClaim", "store", false, false}};
  CHECK(story.ask(spec_findings).empty());  // the claim was not read
  model::PersistentVolumeClaim& claim = story.cluster.claims.emplace_back();
  claim.meta.ns = "x";
  claim.meta.name = "store";
  claim.access_modes = {"ReadWriteOnce"};
  SECTION("an error unless more than one pod works with it") {
    CHECK(only(story.ask(spec_findings)).severity == Severity::Warning);
    story.cluster.pods[1].conditions.clear();
    const Finding finding = only(story.ask(spec_findings));
    CHECK(finding.id == FindingId::DaemonsetSharedClaim);
    CHECK(finding.severity == Severity::Error);
    CHECK(text_of(finding.message) ==
          "all 2 pods share claim store (ReadWriteOnce), which only one node can mount");
  }
  SECTION("claims for many nodes") {
    claim.access_modes = {"ReadWriteOnce", "ReadWriteMany"};
    CHECK(story.ask(spec_findings).empty());
    claim.access_modes = {"ReadOnlyMany"};
    CHECK(story.ask(spec_findings).empty());
  }
  SECTION("one node is enough for one claim") {
    story.cluster.nodes.pop_back();
    story.cluster.pods.pop_back();
    CHECK(story.ask(spec_findings).empty());
  }
}

TEST_CASE("another DaemonSet with an overlapping selector is reported", "[spec]") {
  TestStory story = two_nodes();
  model::DaemonSet other = story.ds();
  other.meta.name = "other";
  other.meta.uid = "uid-2";
  const auto add = [&](model::Labels selector, model::Labels labels) {
    other.selector = model::LabelSelector{std::move(selector), {}};
    other.pod_template.labels = std::move(labels);
    story.cluster.daemon_sets.push_back(other);
  };
  SECTION("each selector matches the other template") {
    add({{"app", "agent"}}, {{"app", "agent"}});
    const Finding finding = only(story.ask(spec_findings));
    CHECK(finding.id == FindingId::DaemonsetSelectorOverlap);
    CHECK(finding.severity == Severity::Warning);
    CHECK(text_of(finding.message) ==
          "selector and template match those of DaemonSet other: the wrong controller may adopt a "
          "pod without an owner");
    CHECK(finding.evidence.back() == Evidence({"Pod", "x", "p1"}, "metadata.labels",
                                              "app=agent,controller-revision-hash=new"));
  }
  SECTION("several DaemonSets have one finding and the first by name is to be fixed") {
    add({{"app", "agent"}}, {{"app", "agent"}});
    other.meta.name = "aaa";
    add({{"app", "agent"}}, {{"app", "agent"}});
    const Finding finding = only(story.ask(spec_findings));
    CHECK(
        text_of(finding.message)
            .starts_with("selector and template match those of DaemonSets other, aaa: the wrong"));
    CHECK(finding.root == "aaa");
    CHECK(finding.group == "aaa");
  }
  SECTION("a one-sided overlap without a common pod is information") {
    add({{"tier", "node"}}, {{"app", "agent"}, {"tier", "node"}});
    const Finding finding = only(story.ask(spec_findings));
    CHECK(finding.severity == Severity::Info);
    CHECK(text_of(finding.message)
              .find("the selector also matches the template of DaemonSet other") == 0);
  }
  SECTION("different labels and other namespaces do not overlap") {
    add({{"app", "other"}}, {{"app", "other"}});
    CHECK(story.ask(spec_findings).empty());
    story.cluster.daemon_sets.pop_back();
    other.meta.ns = "y";
    add({{"app", "agent"}}, {{"app", "agent"}});
    CHECK(story.ask(spec_findings).empty());
  }
}
