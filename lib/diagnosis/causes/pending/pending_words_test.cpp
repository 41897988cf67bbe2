// SPDX-License-Identifier: Apache-2.0

// The scheduler's message against the node: which of them is newer, and the fix for each reason.

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"
#include "model/annotations.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// The pod never fits, which the scheduler reports, and its node has a taint that it does not
/// tolerate.
PendingStory tainted_story() {
  PendingStory story;
  story.cluster.nodes_known = true;
  story.spec.containers = {container({{"cpu", "20"}})};
  story.says(words_for_one("Insufficient cpu"));
  story.node().taints = {{"dedicated", "gpu", model::effect::no_schedule, {}}};
  return story;
}

model::FieldManager status_written(Time when) {
  model::FieldManager result;
  result.subresource = "status";
  result.time = when;
  return result;
}

bool is_older(PendingStory& story, const char* id) {
  return holds(text_of(story.finding(id).message), "the scheduler's last message");
}

}  // namespace

TEST_CASE("a taint that the scheduler's message does not name is newer", "[pending]") {
  PendingStory story = tainted_story();
  const Finding taint = story.finding("sched-taint");
  CHECK(story.ids().front() == "sched-taint");
  CHECK(taint.basis == Basis::Confirmed);
  CHECK(text_of(taint.message) ==
        "untolerated taint dedicated=gpu:NoSchedule on n; the scheduler's last message is older: "
        "Insufficient cpu");
  CHECK(story.finding("sched-never-fits").basis == Basis::Confirmed);

  SECTION("but not if the scheduler has reported since") {
    story.node().taints.front().time_added = at(100);
    story.refused("Insufficient cpu", at(110));  // its cache can lag behind
    CHECK(is_older(story, "sched-taint"));
    story.refused("Insufficient cpu", at(200));
    CHECK_FALSE(is_older(story, "sched-taint"));
    CHECK(story.finding("sched-taint").basis == Basis::Recomputed);
  }
  SECTION("nor if the message names it") {
    story.says(words_for_one("node(s) had untolerated taint(s)"));
    CHECK_FALSE(is_older(story, "sched-taint"));
    CHECK(story.finding("sched-taint").basis == Basis::Confirmed);
  }
  SECTION("nor if another scheduler may have other plugins") {
    story.spec.scheduler_name = "mine";
    CHECK_FALSE(is_older(story, "sched-taint"));
    story.node().taints.front().time_added = at(100);
    story.pod.meta.managers = {status_written(at(50))};
    CHECK(holds(text_of(story.finding("sched-taint").message),
                "the scheduler's last message (15m ago) is older: Insufficient cpu"));
  }
  SECTION("nor if the reason comes before all filters") {
    story.says("0/9 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
    CHECK_FALSE(is_older(story, "sched-taint"));
    story.node().taints.front().time_added = at(100);
    story.pod.meta.managers = {status_written(at(200))};
    CHECK_FALSE(is_older(story, "sched-taint"));
    story.pod.meta.managers = {status_written(at(50))};
    CHECK(is_older(story, "sched-taint"));
  }
}

TEST_CASE("a label or cordon that the scheduler's message does not name is newer", "[pending]") {
  PendingStory story = tainted_story();
  story.node().taints.clear();
  SECTION("a label") {
    story.pod.node_selector = {{"pool", "a"}};
    CHECK(story.ids().front() == "sched-node-selector");
    CHECK(is_older(story, "sched-node-selector"));
    story.says(words_for_one("node(s) had untolerated taint(s)"));  // an earlier filter
    CHECK_FALSE(is_older(story, "sched-node-selector"));
  }
  SECTION("a cordon") {
    story.node().unschedulable = true;
    story.pod.tolerations = std::vector<model::Toleration>{};
    CHECK(story.ids().front() == "sched-unschedulable");
    CHECK(is_older(story, "sched-unschedulable"));
  }
}

TEST_CASE("a pod of an older revision does not have the tolerations of the template", "[pending]") {
  PendingStory story = tainted_story();
  story.ds().pod_template.tolerations = {{"dedicated", "Exists", "", "", {}}};
  CHECK(fix_of(story.finding("sched-taint")).starts_with("find what removes tolerations"));
  story.ds().annotations = {{model::template_generation_annotation, "2"}};
  story.pod.meta.labels = {{"pod-template-generation", "1"}};
  const Finding taint = story.finding("sched-taint");
  CHECK(holds(text_of(taint.message), "the pod is of an older revision"));
  CHECK(fix_of(taint).starts_with("delete the pod so that it is created again"));
}

TEST_CASE("reasons of Kubernetes do not have the fix of other plugins", "[pending]") {
  PendingStory story;
  story.cluster.nodes_known = true;
  story.spec.resource_claims = {{"gpu", "big-gpu", ""}};
  struct Case {
    const char* reason;
    const char* id;
    const char* fix;
  };
  const Case row = GENERATE(values<Case>({
      {"resource claim x/gpu allocation requires DRAOptionalNodeOperations feature on the node",
       "sched-resource-claim", "enable feature gate DRAOptionalNodeOperations"},
      {"pod level request for cpu is insufficient to cover the aggregated container and "
       "node-allocatable DRA requests",
       "sched-resource-claim", "raise spec.resources of the pod"},
      {"node allocatable resource claim gpu has a mapped device and cannot be shared across pods",
       "sched-resource-claim", "use resourceClaimTemplateName"},
      {"resourceclaim not available on the node", "sched-resource-claim",
       "use resourceClaimTemplateName"},
      {"request gpu: device class fast does not exist", "sched-resource-claim",
       "create the DeviceClass"},
      {"resourceclaim.resource.k8s.io \"gpu\" not found", "sched-resource-claim",
       "create the ResourceClaim"},
      {"resource claim x/gpu, request gpu: has subrequests, but the DRAPrioritizedList feature is "
       "disabled",
       "sched-resource-claim", "enable the feature gate in kube-scheduler"},
      {"cannot allocate all claims", "sched-resource-claim", "kubectl get resourceclaims"},
      {"cannot fit resource", "sched-insufficient-extended", "check that the resource's device"},
      {"node(s) had unknown conditions", "sched-other", "check the conditions of node n"},
      {"PersistentVolume had no name", "sched-claim-missing", "check why the claim is not bound"},
  }));
  CAPTURE(row.reason);
  story.says(words_for_one(row.reason));
  CHECK(story.ids() == Strings{row.id});
  CHECK(holds(fix_of(story.finding(row.id)), row.fix));
  CHECK_FALSE(holds(fix_of(story.finding(row.id)), "restart"));
  CHECK(story.finding(row.id).basis == Basis::Reported);
}

TEST_CASE("an unknown reason of a newer release is not that of another plugin", "[pending]") {
  PendingStory story;
  story.says(words_for_one("node(s) had no quantum left"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
  story.cluster.version = model::ServerVersion{1, 99, 0, "v1.99.0"};
  CHECK(story.ids() == Strings{"sched-other"});
  CHECK(text_of(story.finding("sched-other").message) ==
        "FailedScheduling: the scheduler rejects n: node(s) had no quantum left");
}

TEST_CASE("a message about a PodGroup is reported although the pod names none", "[pending]") {
  PendingStory story;
  story.says("no pods were schedulable");
  CHECK(story.ids() == Strings{"sched-other"});
}

TEST_CASE("devices of ResourceClaims may count as requests", "[pending]") {
  PendingStory story;
  story.cluster.pods.push_back(story.pod);
  story.neighbour("web", {{"cpu", "1"}});
  story.spec.containers = {container({{"cpu", "2"}})};
  story.says(words_for_one("Insufficient cpu"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
  story.spec.resource_claims = {{"gpu", "big-gpu", ""}};
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  CHECK(story.finding("sched-insufficient-cpu").basis == Basis::Reported);
}

TEST_CASE("a scheduler without nodes does not know the node of the pod", "[pending]") {
  PendingStory story;
  story.cluster.nodes_known = true;
  story.node().meta.created = at(-1000);
  story.says("no nodes available to schedule pods");
  CHECK(story.ids() == Strings{"sched-target-gone"});
}
