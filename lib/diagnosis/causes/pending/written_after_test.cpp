// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// A pod of the current template, generation 2.
struct CurrentPod : PendingStory {
  CurrentPod() {
    ds().annotations = {{"deprecated.daemonset.template.generation", "2"}};
    ds().pod_template.labels = {{"app", "agent"}};
    pod.meta.labels = {
        {"app", "agent"}, {"controller-revision-hash", "5d8f"}, {"pod-template-generation", "2"}};
  }
  std::string text(const char* id) { return text_of(finding(id).message); }
  std::string fix(const char* id) { return fix_of(finding(id)); }
};

}  // namespace

TEST_CASE("a gate that the template does not have is not removed from the template", "[pending]") {
  CurrentPod story;
  story.spec.scheduling_gates = {"example.com/quota"};
  CHECK(story.text("sched-gated") ==
        "SchedulingGated: waits for the removal of scheduling gate example.com/quota, which the "
        "template does not have");
  CHECK(story.fix("sched-gated").starts_with("exclude these pods in the webhook or policy"));
  SECTION("labels show who wrote it") {
    story.pod.meta.labels.set("quota.example.com/pool", "a");
    CHECK(story.text("sched-gated")
              .ends_with("does not have; labels that only the pod has: quota.example.com/pool=a"));
  }
  SECTION("Kueue has a setting for it") {
    story.spec.scheduling_gates = {"kueue.x-k8s.io/topology"};
    CHECK(story.fix("sched-gated").starts_with("leave namespace x out of Kueue"));
  }
  SECTION("the template has it") {
    story.ds().pod_template.spec.scheduling_gates = {"example.com/quota"};
    CHECK(story.text("sched-gated").ends_with("scheduling gate example.com/quota"));
    CHECK(story.fix("sched-gated").starts_with("check the controller that removes the gate, or"));
  }
  SECTION("a pod of an older template cannot be compared") {
    story.ds().annotations = {{"deprecated.daemonset.template.generation", "3"}};
    CHECK(story.text("sched-gated").ends_with("scheduling gate example.com/quota"));
  }
}

TEST_CASE("a scheduler that the template does not name is not removed from it", "[pending]") {
  CurrentPod story;
  story.spec.scheduler_name = "yunikorn";
  story.pod.meta.labels.set("applicationId", "yunikorn-x-autogen");
  CHECK(story.text("scheduler-unknown") ==
        "schedulerName is yunikorn in the pod and default-scheduler in the template, and no "
        "scheduler of this name has processed the pod; labels that only the pod has: "
        "applicationId=yunikorn-x-autogen");
  CHECK(story.fix("scheduler-unknown").starts_with("leave namespace x out of YuniKorn"));
  CHECK(story.fix("scheduler-unknown").find("kubectl patch") == std::string::npos);
  SECTION("another writer") {
    story.spec.scheduler_name = "batch";
    CHECK(story.fix("scheduler-unknown").starts_with("exclude these pods in the webhook"));
    CHECK(story.fix("scheduler-unknown").find("kubectl patch") == std::string::npos);
  }
  SECTION("the template names it") {
    story.ds().pod_template.spec.scheduler_name = "yunikorn";
    CHECK(story.text("scheduler-unknown") ==
          "schedulerName is yunikorn, and no scheduler of this name has processed the pod");
    CHECK(story.fix("scheduler-unknown").starts_with("start that scheduler"));
    CHECK(story.fix("scheduler-unknown").find("kubectl patch") != std::string::npos);
  }
}

TEST_CASE("a request that the template does not have is not lowered in the template", "[pending]") {
  CurrentPod story;
  story.spec.containers = {container({{"cpu", "5"}})};
  story.ds().pod_template.spec.containers = {container({{"cpu", "100m"}})};
  const auto text = [&] { return text_of(story.findings().at(0).message); };
  const auto fix = [&] { return fix_of(story.findings().at(0)); };
  CHECK(holds(text(), "container app requests 5 in the pod and 100m in the template"));
  CHECK(fix().starts_with("check mutating webhooks and admission plug-ins"));
  SECTION("nothing is requested in the template") {
    story.ds().pod_template.spec.containers = {container({})};
    CHECK(holds(text(), "container app requests 5 in the pod and nothing in the template"));
    CHECK(fix().starts_with("set the request in the template, so that no default applies"));
  }
  SECTION("the node has no room at the moment") {
    story.neighbour("web", {{"cpu", "3"}});
    story.spec.containers = {container({{"cpu", "2"}})};
    CHECK(holds(text(), "container app requests 2 in the pod and 100m in the template"));
  }
  SECTION("a container was added") {
    story.spec.containers[0].requests = {{"cpu", "100m"}};
    story.spec.containers.push_back(container({{"cpu", "5"}}));
    story.spec.containers[1].name = "proxy";
    CHECK(holds(text(),
                "container proxy requests 5 in the pod, and the template has no such container"));
  }
  SECTION("the pod would not fit with the request of the template either") {
    story.ds().pod_template.spec.containers = {container({{"cpu", "4500m"}})};
    CHECK_FALSE(holds(text(), "in the template"));
  }
  SECTION("the template has the same amount") {
    story.ds().pod_template.spec.containers = {container({{"cpu", "5000m"}})};
    CHECK_FALSE(holds(text(), "in the template"));
  }
  SECTION("the template has it as a limit") {
    story.ds().pod_template.spec.containers = {container({})};
    story.ds().pod_template.spec.containers[0].limits = {{"cpu", "5"}};
    CHECK_FALSE(holds(text(), "in the template"));
  }
  SECTION("a shortened file has no containers in the template") {
    story.ds().pod_template.spec.containers.clear();
    CHECK_FALSE(holds(text(), "in the template"));
  }
}
