// SPDX-License-Identifier: Apache-2.0

// Reasons that only the scheduler gives, and their fixes.

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

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
      {"no pods were schedulable", "sched-other", "remove the cause"},
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
