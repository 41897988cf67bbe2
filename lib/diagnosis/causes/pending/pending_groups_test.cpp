// SPDX-License-Identifier: Apache-2.0

// Pods that the scheduler binds only together with the other pods of their PodGroup.
#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

constexpr const char* of_group =
    "pod group is unschedulable, minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, pod "
    "group preemption: No preemption victims found for incoming preemptor";

/// The pod of the story is in PodGroup agents, and the scheduler has not processed it.
class GroupStory : public PendingStory {
 public:
  GroupStory() {
    spec.pod_group = "agents";
    ds().pod_template.spec.pod_group = "agents";
    cluster.known.pod_groups = true;
    cluster.known.pod_group_members = true;
    pod.spec = spec;
    cluster.pods.push_back(pod);
  }
  model::PodGroup& group(std::int64_t min_count) {
    model::PodGroup& result = cluster.pod_groups.emplace_back();
    result.meta.ns = "x";
    result.meta.name = "agents";
    result.min_count = min_count;
    return result;
  }
  /// Another pod of the PodGroup, which requests 2 cpu of the 4 of node o.
  model::Pod& member_on_o() {
    model::Node& o = add_node("o");
    o.meta.labels = {{"kubernetes.io/hostname", "o"}};
    o.allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "31"}};
    model::Pod& result = add_pod("agent-2", "o");
    unbind(result, "o", "");
    result.conditions.clear();
    result.tolerations = placement::automatic_tolerations(false);
    model::PodSpec its = spec;
    its.containers = {container({{"cpu", "2"}})};
    result.spec = its;
    return result;
  }
  void fill_o() { neighbour("web", {{"cpu", "3"}}).node_name = "o"; }
};

}  // namespace

TEST_CASE("a pod whose PodGroup does not exist is not processed", "[pending][pod group]") {
  GroupStory story;
  const Finding finding = story.finding("sched-pod-group");
  CHECK(story.ids() == Strings{"sched-pod-group"});
  CHECK(text_of(finding.message) ==
        "schedulingGroup: PodGroup agents does not exist; the scheduler does not process its pods");
  CHECK(finding.basis == Basis::Recomputed);
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.root == "PodGroup/agents");
  CHECK(finding.evidence.at(0).path == "spec.schedulingGroup.podGroupName");
  CHECK(fix_of(finding).starts_with("create the PodGroup"));
  CHECK(holds(fix_of(finding), "remove schedulingGroup from the template"));
  SECTION("it does not resolve without action") {
    story.pod.meta.created = at(990);
    CHECK_FALSE(story.finding("sched-pod-group").transient);
  }
  SECTION("without a list of PodGroups that is only likely") {
    story.cluster.known.pod_groups = false;
    const Finding likely = story.finding("sched-pod-group");
    CHECK(likely.basis == Basis::Suspected);
    CHECK(text_of(likely.message) ==
          "schedulingGroup: the scheduler has not processed the pod, most likely because PodGroup "
          "agents does not exist or has fewer pods than its minCount; PodGroups were not read");
    CHECK(fix_of(likely).starts_with("check the PodGroup"));
  }
  SECTION("a scheduler without the feature processes the pod by itself") {
    story.cluster.pods.clear();
    story.neighbour("web", {{"cpu", "4"}});
    story.spec.containers = {container({{"cpu", "2"}})};
    story.says(words_for_one("Insufficient cpu"));
    CHECK(story.ids().front() == "sched-insufficient-cpu");
    CHECK(std::ranges::count(story.ids(), "sched-pod-group") == 0);
  }
  SECTION("another scheduler may obey it as well") {
    story.spec.scheduler_name = "batch";
    CHECK(story.ids() == Strings{"sched-pod-group"});
  }
}

TEST_CASE("a pod whose PodGroup is short of pods is not processed", "[pending][pod group]") {
  GroupStory story;
  model::PodGroup& group = story.group(3);
  story.member_on_o();
  const Finding finding = story.finding("sched-pod-group");
  CHECK(text_of(finding.message) ==
        "schedulingGroup: PodGroup agents has 2 pods, its minCount is 3; the scheduler does not "
        "process its pods");
  CHECK(finding.evidence.back().object.kind == "PodGroup");
  CHECK(finding.evidence.back().path == "spec.schedulingPolicy.gang.minCount");
  CHECK(finding.evidence.back().value == "3");
  CHECK(fix_of(finding).starts_with("lower minCount of the PodGroup to 2 or less"));
  SECTION("before 1.37 minCount is immutable") {
    story.cluster.version = model::ServerVersion{1, 36, 3, "v1.36.3"};
    CHECK(fix_of(story.finding("sched-pod-group")).starts_with("delete the PodGroup"));
  }
  SECTION("pods that have ended do not count and others do") {
    group.min_count = 2;
    CHECK(story.ids() == Strings());
    story.cluster.pods.back().phase = "Failed";
    CHECK(story.ids() == Strings{"sched-pod-group"});
  }
  SECTION("pods that were not read may exist") {
    story.cluster.known.pod_group_members = false;
    story.cluster.all_pods_known = false;
    CHECK(story.finding("sched-pod-group").basis == Basis::Suspected);
  }
  SECTION("the policy Basic has no minCount") {
    group.min_count.reset();
    CHECK(story.ids() == Strings());
  }
  SECTION("a CompositePodGroup may wait for its other groups") {
    group.min_count = 1;
    group.parent = "all";
    CHECK(holds(text_of(story.finding("sched-pod-group").message), "CompositePodGroup all"));
  }
}

TEST_CASE("a PodGroup is unschedulable because of the pod that does not fit",
          "[pending][pod group]") {
  GroupStory story;
  story.group(2);
  model::Pod& other = story.member_on_o();
  SECTION("the scheduler rejects that pod by itself") {
    other.conditions = {
        {"PodScheduled", "False", "Unschedulable", words_for_one("Insufficient cpu"), at(1)}};
    story.fill_o();
  }
  SECTION("or its requests do not fit") { story.fill_o(); }
  story.says(of_group);
  const std::vector<Finding> found = story.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].name() == "sched-pod-group");
  CHECK(
      text_of(found[0].message) ==
      "pod group is unschedulable: the pods of PodGroup agents are bound only together, and pod "
      "x/agent-2 does not fit o: Insufficient cpu: requested 2 cpu, free 1 of 4; largest: big/web "
      "3");
  CHECK(found[0].basis == Basis::Confirmed);
  CHECK(fix_of(found[0]).starts_with("make room for that pod on o: kubectl describe node o"));
  CHECK_FALSE(holds(fix_of(found[0]), "restart"));
}

TEST_CASE("without a pod that does not fit the message is quoted whole", "[pending][pod group]") {
  GroupStory story;
  model::PodGroup& group = story.group(1);
  story.says(of_group);
  CHECK(holds(text_of(story.finding("sched-pod-group").message), of_group));
  SECTION("from 1.38 on the PodGroup has it") {
    group.conditions = {{"PodGroupInitiallyScheduled", "False", "Unschedulable", "why", at(1)}};
    story.says("parent pod group \"agents\" is unschedulable");
    CHECK(text_of(story.finding("sched-pod-group").message) ==
          "pod group is unschedulable: the scheduler reports for PodGroup agents: why");
  }
}

TEST_CASE("a Workload of Kubernetes 1.35 is not read", "[pending][pod group]") {
  GroupStory story;
  story.spec.pod_group = {};
  story.spec.workload = "w";
  const Finding finding = story.finding("sched-pod-group");
  CHECK(finding.basis == Basis::Suspected);
  CHECK(finding.root == "Workload/w");
  CHECK(finding.evidence.at(0).path == "spec.workloadRef.name");
  CHECK(holds(fix_of(finding), "kubectl get workloads.scheduling.k8s.io w"));
}
