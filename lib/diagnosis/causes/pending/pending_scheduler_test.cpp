// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("reasons that only the scheduler knows are reported", "[pending]") {
  PendingStory story;
  const auto told = [&](const char* reason) {
    story.says(words_for_one(reason));
    const auto all = story.findings();
    REQUIRE(!all.empty());
    CHECK(all[0].basis == Basis::Reported);
    CHECK_FALSE(holds(text_of(all[0].message), "0/9"));
    return std::string(all[0].name());
  };
  CHECK(told("cannot allocate all claims") == "sched-resource-claim");
  CHECK(told("node(s) didn't match Pod's required features") == "sched-node-features");
  CHECK(told("node(s) didn't match scheduler-enforced node affinity") == "sched-affinity-conflict");
  CHECK(told("node(s) exceed max volume count") == "sched-volume-limit");
  CHECK(told("node(s) had no available volume zone") == "sched-volume-zone");
}

TEST_CASE("reasons that only the scheduler knows are quoted", "[pending]") {
  PendingStory story;
  story.spec.volumes = {{"data", "persistentVolumeClaim", "data", false, false}};
  story.cluster.nodes_known = true;
  const auto told = [&](const char* reason, const char* id) {
    story.says(words_for_one(reason));
    const Finding finding = story.finding(id);
    CHECK(text_of(finding.message) ==
          "FailedScheduling: the scheduler rejects n: " + std::string(reason));
    return finding;
  };
  const Finding missing = told("persistentvolumeclaim \"data\" not found", "sched-claim-missing");
  CHECK(missing.root == "PersistentVolumeClaim/data");
  CHECK(fix_of(missing).starts_with("create or correct the claim"));
  const Finding unbound =
      told("pod has unbound immediate PersistentVolumeClaims", "sched-claim-missing");
  CHECK(fix_of(unbound).starts_with("check why the claim is not bound"));
  CHECK(unbound.root.empty());
  CHECK(fix_of(told("node(s) exceed max volume count", "sched-volume-limit"))
            .starts_with("move pods with volumes"));
  CHECK(fix_of(told("CSI driver is not installed on the node", "sched-volume-limit"))
            .starts_with("check that the driver's DaemonSet"));
}

TEST_CASE("the scheduler counts pods of namespaces that the input does not have", "[pending]") {
  PendingStory story;
  story.spec.containers = {container({{"cpu", "2"}})};
  story.says(words_for_one("Insufficient cpu"));
  story.cluster.pods.push_back(story.pod);
  story.cluster.all_pods_assumed = true;
  const Finding finding = story.finding("sched-insufficient-cpu");
  CHECK(text_of(finding.message) ==
        "FailedScheduling: Insufficient cpu on n; the input has pods of namespace x only");
  CHECK(finding.basis == Basis::Reported);
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  story.says(words_for_one("Too many pods"));
  CHECK(story.ids() == Strings{"sched-too-many-pods"});
  story.neighbour("web", {{"cpu", "1"}});  // another namespace: all pods were read
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
}

TEST_CASE("on a release that is not known the scheduler's message decides", "[pending]") {
  PendingStory story;
  story.cluster.pods.push_back(story.pod);
  story.neighbour("web", {{"cpu", "1"}});
  story.spec.containers = {container({{"cpu", "2"}})};
  story.says(words_for_one("Insufficient cpu"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});

  story.cluster.version = model::ServerVersion{1, 99, 0, "v1.99.0"};
  const Finding finding = story.finding("sched-insufficient-cpu");
  CHECK(finding.basis == Basis::Reported);
  CHECK(text_of(finding.message) ==
        "FailedScheduling: Insufficient cpu on n; Kubernetes 1.99 may count requests by other "
        "rules than 1.37");
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});

  // Pods are counted by the rules of every release.
  story.says(words_for_one("Too many pods"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});

  SECTION("shortages that the scheduler does not list are dropped") {
    story.spec.containers = {container({{"cpu", "4"}, {"memory", "1Gi"}})};
    story.says(words_for_one("Insufficient memory"));
    CHECK(story.ids() == Strings{"sched-insufficient-memory"});
    story.cluster.version.reset();
    CHECK(story.ids().front() == "sched-insufficient-cpu");
  }
  SECTION("a request that never fits stays the cause") {
    story.spec.containers = {container({{"cpu", "20"}})};
    story.says(words_for_one("Insufficient cpu"));
    CHECK(story.ids().front() == "sched-never-fits");
    CHECK(story.finding("sched-insufficient-cpu").basis == Basis::Confirmed);
  }
  SECTION("kubelets show a newer release, too") {
    story.cluster.version.reset();
    story.node().kubelet_version = "v1.99.1";
    story.says(words_for_one("Insufficient cpu"));
    CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  }
  SECTION("without a message our own sum is the cause") {
    story.spec.containers = {container({{"cpu", "4"}})};
    story.pod.conditions.clear();
    CHECK(story.ids().front() == "sched-insufficient-cpu");
  }
}

TEST_CASE("the scheduler's message decides on tolerations with Gt and Lt", "[pending]") {
  PendingStory story;
  story.gates.taint_toleration_comparison_operators = true;
  story.node().taints = {{"sla", "950", "NoSchedule"}};
  story.pod.tolerations = std::vector<model::Toleration>{{"sla", "Gt", "500", "NoSchedule"}};
  CHECK(story.ids().empty());
  story.says(words_for_one("node(s) had untolerated taint(s)"));
  CHECK(story.ids() == Strings{"sched-taint"});
  CHECK(text_of(story.finding("sched-taint").message) ==
        "FailedScheduling: the scheduler rejects n: node(s) had untolerated taint(s); the pod "
        "tolerates the taint only by operator Gt or Lt: the scheduler runs without feature gate "
        "TaintTolerationComparisonOperators");
  story.pod.tolerations = std::vector<model::Toleration>{{"sla", "Exists", "", "NoSchedule"}};
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
}

TEST_CASE("without the node's pods the scheduler's message decides", "[pending]") {
  PendingStory story;
  story.cluster.all_pods_known = false;
  story.spec.containers = {container({{"cpu", "2"}})};
  CHECK(story.ids().empty());
  story.says(words_for_one("Insufficient cpu"));
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  CHECK(story.finding("sched-insufficient-cpu").basis == Basis::Reported);
  CHECK(text_of(story.finding("sched-insufficient-cpu").message) ==
        "FailedScheduling: Insufficient cpu on n");
  story.spec.containers = {container({{"cpu", "20"}})};  // can be computed without other pods
  CHECK(story.ids() == Strings{"sched-never-fits", "sched-insufficient-cpu"});
  story.says(words_for_one("Too many pods"));
  CHECK(story.finding("sched-too-many-pods").basis == Basis::Reported);
}

TEST_CASE("problems of the scheduler itself are reported", "[pending]") {
  PendingStory story;
  SECTION("it recorded an error") {
    story.pod.conditions = {{"PodScheduled", "False", "SchedulerError", "boom", at(1)}};
    CHECK(story.ids() == Strings{"scheduler-error"});
    CHECK_FALSE(story.finding("scheduler-error").transient);
    story.now = at(30);  // it retries
    CHECK(story.ids() == Strings{"scheduler-error"});
    CHECK(story.finding("scheduler-error").severity == Severity::Info);
    CHECK(story.finding("scheduler-error").transient);
  }
  SECTION("it does not exist") {
    story.spec.scheduler_name = "mine";
    CHECK(story.ids() == Strings{"scheduler-unknown"});
    story.pod.meta.created = at(985);
    CHECK(story.finding("scheduler-unknown").severity == Severity::Error);
    story.neighbour("other").spec = story.spec;  // a scheduler of this name has bound it
    CHECK(story.ids() == Strings{"scheduler-waiting"});
    story.cluster.pods.pop_back();
    story.pod.meta.created = at(995);
    CHECK(story.ids() == Strings{"scheduler-waiting"});
    story.pod.meta.created = at(0);
    story.says(words_for_one("Too many pods"));
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
  }
  SECTION("it ignores a pod until its claims exist") {
    story.spec.resource_claims = {{"gpu", "big-gpu", ""}, {"nic", "", "fast-nic"}};
    const Finding finding = story.finding("sched-resource-claim");
    CHECK(finding.basis == Basis::Suspected);
    CHECK(text_of(finding.message)
              .ends_with("ResourceClaim big-gpu, the claim of ResourceClaimTemplate fast-nic"));
    CHECK(story.ids() == Strings{"sched-resource-claim"});
    story.says(words_for_one("Too many pods"));  // then it has evaluated the pod
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
  }
  SECTION("its message is outdated") {
    story.says(words_for_one("Too many pods"));
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
    story.now = at(200);
    CHECK(story.ids() == Strings{"scheduler-waiting"});
    CHECK(holds(text_of(story.finding("scheduler-waiting").message), "the scheduler retries by"));
  }
  SECTION("it repeats a reason that does not hold") {
    story.says(words_for_one("Too many pods"));
    model::Event& event = story.refused("Too many pods", at(880));
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
    CHECK(holds(text_of(story.finding("scheduler-disagrees").message), "; it retries by"));
    story.node().conditions = {{"Ready", "True", "KubeletReady", "", at(900)}};
    CHECK(story.ids() == Strings{"scheduler-waiting"});  // not evaluated again yet
    story.node().conditions.front().last_transition = at(800);
    story.says("0/9 nodes are available: 8 node(s) didn't match node selector.");
    event.message = story.pod.conditions[0].message;
    CHECK(holds(text_of(story.finding("scheduler-disagrees").message), "no reason for this node"));
    CHECK(holds(text_of(story.finding("scheduler-disagrees").message), "its cache may be stale"));
  }
  SECTION("the event is used if the condition is missing") {
    story.refused("node(s) exceed max volume count", at(990));
    CHECK(story.ids() == Strings{"sched-volume-limit"});
  }
  SECTION("the condition is the latest word; the event keeps an earlier one") {
    story.says(words_for_one("cannot allocate all claims"));
    story.refused("node(s) exceed max volume count", at(990));
    CHECK(story.ids() == Strings{"sched-resource-claim"});
    story.cluster.events.clear();
    story.says(words_for_one("node(s) exceed max volume count"));
    story.refused("cannot allocate all claims", at(990));
    CHECK(story.ids() == Strings{"sched-volume-limit"});
  }
  SECTION("a custom plugin rejects the node") {
    story.says(words_for_one("the licence server said no"));
    CHECK(
        holds(text_of(story.finding("scheduler-disagrees").message), "the licence server said no"));
  }
  SECTION("it does not know the node") {
    story.says("0/27 nodes are available: 27 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK(story.ids() == Strings{"sched-target-gone"});
    CHECK(fix_of(story.finding("sched-target-gone")).starts_with("check which cluster"));
    story.says("0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK(fix_of(story.finding("sched-target-gone")).starts_with("restart the scheduler"));
    story.node().meta.created = at(-30);  // the scheduler may know the node since then
    CHECK(story.ids() == Strings{});
  }
  SECTION("in the words of an older release it counts other nodes than there are") {
    story.node().meta.created = at(-1000);
    story.says("0/13 nodes are available: 13 node(s) didn't match Pod's node affinity/selector.");
    CHECK(story.ids() == Strings{"sched-target-gone"});
    CHECK(text_of(story.finding("sched-target-gone").message) ==
          "the scheduler knows 13 nodes, but not n; the cluster has 1");
    CHECK(fix_of(story.finding("sched-target-gone")).starts_with("check which cluster"));
    SECTION("the node does not match") {
      story.pod.node_selector = {{"pool", "infra"}};
      CHECK(story.ids().front() == "sched-node-selector");
      CHECK(std::ranges::count(story.ids(), "sched-target-gone") == 0);
    }
    SECTION("the node has changed since") {
      story.node().conditions = {{"Ready", "True", "KubeletReady", "", at(999)}};
      CHECK(story.ids() == Strings{"scheduler-disagrees"});
    }
    SECTION("it counts as many nodes as there are") {
      story.says("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.");
      CHECK(story.ids() == Strings{"scheduler-disagrees"});
    }
  }
  SECTION("scheduling gates make it wait") {
    story.spec.scheduling_gates = {"example.com/quota"};
    CHECK(story.ids() == Strings{"sched-gated"});
    CHECK(holds(text_of(story.finding("sched-gated").message), "example.com/quota"));
    CHECK_FALSE(story.finding("sched-gated").transient);
    story.now = at(200);
    CHECK(story.finding("sched-gated").severity == Severity::Info);
    CHECK(story.finding("sched-gated").transient);
  }
}
