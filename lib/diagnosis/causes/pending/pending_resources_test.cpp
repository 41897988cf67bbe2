// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("a node at its pod limit is reported", "[pending]") {
  PendingStory story;
  story.neighbours(31);
  for (const char* name : {"done-1", "done-2"}) story.neighbour(name).phase = "Succeeded";
  const Finding finding = story.finding("sched-too-many-pods");
  CHECK(text_of(finding.message) ==
        "Too many pods: n runs 31 pods, its limit is 31; most: pods without an owner × 31");
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.basis == Basis::Recomputed);
  CHECK(finding.standing == Standing::Also);
  CHECK(story.ids() == Strings{"sched-too-many-pods", "preempt-no-victims"});

  SECTION("the scheduler reports the same") {
    story.says(words_for_one("Too many pods"));
    CHECK(story.finding("sched-too-many-pods").basis == Basis::Confirmed);
  }
  SECTION("one of them is terminating") {
    story.cluster.pods[0].meta.deleted = at(1010);
    const Finding clearing = story.finding("sched-too-many-pods");
    CHECK(clearing.severity == Severity::Warning);
    CHECK(clearing.transient);
    CHECK(holds(text_of(clearing.message), "1 terminating"));
    story.now = at(2000);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Error);
    CHECK_FALSE(story.finding("sched-too-many-pods").transient);
    model::Pod& stuck = story.cluster.pods[0];
    CHECK(holds(text_of(story.finding("sched-too-many-pods").message),
                "; pod big/" + stuck.meta.name.str() +
                    " is terminating and should be deleted already, grace period ended"));
    CHECK(fix_of(story.finding("sched-too-many-pods"))
              .starts_with("check the kubelet's log on node n"));
    model::Pod& fresh = story.cluster.pods[1];
    fresh.meta.deleted = at(2020);
    CHECK(holds(text_of(story.finding("sched-too-many-pods").message),
                stuck.meta.name.str() + " is terminating and should be deleted already, grace "
                                        "period ended 2023-11-14 22:30:10 UTC"));
    fresh.meta.deleted = at(1020);
    CHECK(holds(text_of(story.finding("sched-too-many-pods").message),
                " (and 1 other) is terminating"));
    CHECK(story.finding("sched-too-many-pods").overdue_since == at(1010));
    fresh.meta.deleted.reset();
    stuck.meta.finalizers = {"example.com/hold"};
    CHECK(holds(fix_of(story.finding("sched-too-many-pods")),
                "kubectl --namespace big get pod " + stuck.meta.name.str()));
  }
  SECTION("at most three owners are listed and empty parts are omitted") {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      story.cluster.pods[i].meta.controller = model::ControllerRef{"DaemonSet", name, "u"};
    }
    CHECK(holds(text_of(story.finding("sched-too-many-pods").message),
                "its limit is 31 (4 from DaemonSets); most: pods without an owner × 27, DaemonSet "
                "big/a × 1, DaemonSet big/b × 1"));
  }
  SECTION("owners are counted and the fix names one movable pod") {
    for (int i = 0; i < 20; ++i) {
      auto& pod = story.cluster.pods[static_cast<std::size_t>(i)];
      pod.meta.controller = model::ControllerRef{"ReplicaSet", "web-5d9", "u"};
      pod.meta.labels = {{"pod-template-hash", "5d9"}};
    }
    const Finding owned = story.finding("sched-too-many-pods");
    CHECK(holds(text_of(owned.message),
                "most: ReplicaSet big/web-5d9 × 20, pods without an owner × 11"));
    const std::string& first = story.cluster.pods[0].meta.name.str();
    CHECK(holds(fix_of(owned), "kubectl delete pod " + first));
    CHECK_FALSE(holds(fix_of(owned), "drain"));
    // The pods have higher priority than the pending pod: the fix names none.
    for (auto& pod : story.cluster.pods) {
      model::PodSpec spec = *pod.spec;
      spec.priority = 10;
      pod.spec = spec;
    }
    CHECK_FALSE(holds(fix_of(story.finding("sched-too-many-pods")), "kubectl delete"));
  }
  SECTION("the fix names a pod that can be evicted") {
    const auto owned = [&](std::size_t i, const char* kind, const char* name, bool ready) {
      auto& pod = story.cluster.pods[i];
      pod.meta.controller = model::ControllerRef{kind, name, "u"};
      pod.meta.labels = {{"app", name}};
      if (ready) pod.conditions = {{"Ready", "True", "", "", at(0)}};
    };
    const auto fix = [&] { return fix_of(story.finding("sched-too-many-pods")); };
    owned(0, "ReplicaSet", "pay", true);
    owned(1, "StatefulSet", "web", true);
    CHECK(holds(fix(), "kubectl delete pod web-0 --namespace big"));
    CHECK(holds(fix(), "kubectl get poddisruptionbudgets --namespace big"));
    // Other pods of its controller keep running.
    owned(2, "StatefulSet", "web", true);
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    story.cluster.known.disruption_budgets = true;
    CHECK_FALSE(holds(fix(), "poddisruptionbudgets"));
    const auto add_budget = [&](const char* app, std::int64_t allowed) {
      auto& budget = story.cluster.disruption_budgets.emplace_back();
      budget.meta.ns = "big";
      budget.meta.name = std::string("of-") + app;
      budget.selector = model::LabelSelector{{{"app", app}}, {}};
      budget.disruptions_allowed = allowed;
    };
    add_budget("web", 0);
    CHECK(holds(fix(), "kubectl delete pod web-0 --namespace big"));
    add_budget("pay", 0);
    CHECK(holds(fix(), "PodDisruptionBudget of-web allows no disruption"));
    CHECK_FALSE(holds(fix(), "kubectl cordon"));
    story.cluster.disruption_budgets[0].disruptions_allowed = 1;
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    add_budget("web", 1);  // the eviction API rejects a pod with two budgets
    CHECK_FALSE(holds(fix(), "kubectl delete"));
    story.cluster.disruption_budgets[2].meta.ns = "other";
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    story.cluster.disruption_budgets[2].meta.ns = "big";
    story.cluster.disruption_budgets[2].selector.reset();  // selects no pod
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
  }
  SECTION("without any pod capacity") {
    story.node().allocatable = {};
    CHECK(holds(text_of(story.finding("sched-too-many-pods").message),
                "Too many pods: the pod limit of n is 0"));
    CHECK(fix_of(story.finding("sched-too-many-pods")).empty());
  }
  SECTION("a young pod does not resolve it, a young node may") {
    story.pod.meta.created = at(980);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Error);
    story.node().meta.created = at(950);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Info);
  }
}

TEST_CASE("insufficient resources are reported per resource", "[pending]") {
  PendingStory story;
  story.spec.containers = {container({{"cpu", "2"}, {"memory", "6Gi"}})};
  story.neighbour("web", {{"cpu", "2500m"}, {"memory", "3Gi"}});
  CHECK(story.ids() ==
        Strings{"sched-insufficient-cpu", "sched-insufficient-memory", "preempt-no-victims"});
  const Finding cpu = story.finding("sched-insufficient-cpu");
  CHECK(text_of(cpu.message) ==
        "Insufficient cpu: requested 2 cpu, free 1.5 of 4; largest: big/web 2.5");
  CHECK(cpu.group == "2 cpu");
  CHECK(cpu.evidence ==
        std::vector<Evidence>{
            {{"Pod", "x", "agent-1"}, "spec.containers[0].resources.requests['cpu']", "2"},
            {{"Node", "", "n"}, "status.allocatable['cpu']", "4"}});
  CHECK(story.finding("sched-insufficient-memory").group == "6Gi memory");

  SECTION("an over-committed node blocks only requested resources") {
    story.cluster.pods[0].spec = story.spec;
    story.node().allocatable.set("cpu", "1");
    story.spec.containers = {container({})};
    CHECK(story.ids().empty());
    story.spec.containers = {container({{"cpu", "100m"}})};
    CHECK(holds(text_of(story.finding("sched-insufficient-cpu").message),
                "free 0 of 1000m (other pods request 2000m)"));
  }
  SECTION("a request larger than the node") {
    story.node().capacity = {{"memory", "12Gi"}};
    story.spec.containers = {container({{"memory", "70Gi"}})};
    CHECK(story.ids() ==
          Strings{"sched-never-fits", "sched-insufficient-memory", "preempt-unhelpful"});
    CHECK(holds(text_of(story.finding("sched-never-fits").message),
                "70Gi memory, the node has 8Gi (capacity 12Gi minus reserved)"));
    story.says(words_for_one("Insufficient memory"));
    CHECK(story.finding("sched-never-fits").basis == Basis::Confirmed);
  }
  SECTION("invalid quantities are evidence") {
    story.node().allocatable.set("memory", "1x");
    const Finding memory = story.finding("sched-insufficient-memory");
    CHECK(std::ranges::count(memory.evidence,
                             Evidence{{"Node", "", "n"}, "status.allocatable['memory']", "1x"}) >
          0);
  }
  SECTION("ephemeral storage and huge pages") {
    story.spec.containers = {container({{"ephemeral-storage", "1Gi"}, {"hugepages-2Mi", "4Mi"}})};
    story.node().allocatable.set("ephemeral-storage", "1Mi");
    CHECK(story.ids() == Strings{"sched-never-fits", "sched-insufficient-ephemeral-storage",
                                 "sched-insufficient-hugepages", "preempt-unhelpful"});
  }
}

TEST_CASE("an extended resource needs a device plugin with healthy devices", "[pending]") {
  PendingStory story;
  story.spec.containers = {container({{"example.com/gpu", "1"}})};
  CHECK(holds(text_of(story.finding("sched-insufficient-extended").message), "no device plugin"));
  CHECK(holds(fix_of(story.finding("sched-insufficient-extended")), "device plugin runs"));
  story.node().allocatable.set("example.com/gpu", "0");
  CHECK(holds(text_of(story.finding("sched-insufficient-extended").message),
              "reports no healthy device"));
  story.node().allocatable.set("example.com/gpu", "1");
  story.neighbour("trainer", {{"example.com/gpu", "1"}});
  CHECK(holds(text_of(story.finding("sched-insufficient-extended").message),
              "largest: big/trainer 1"));
  CHECK(fix_of(story.finding("sched-insufficient-extended"))
            .starts_with("wait until pods that hold the resource end"));
  story.says(words_for_one("Insufficient example.com/gpu"));
  CHECK(story.finding("sched-insufficient-extended").basis == Basis::Confirmed);
  // The scheduler can be configured to ignore such a resource.
  story.says(words_for_one("the licence server said no"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
}
