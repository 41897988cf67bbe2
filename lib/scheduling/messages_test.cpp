#include "scheduling/messages.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::scheduling;

namespace {

/// The findings of the target's reasons, then those of preemption: "a b | c".
std::string ids(std::string_view message) {
  const SchedulerMessage parsed = parse_scheduler_message(message);
  std::string result;
  for (const MessageReason& reason : parsed.reasons) {
    result.append(result.empty() ? "" : " ").append(reason.id);
  }
  if (!parsed.hints.empty()) result.append(" |");
  for (const std::string_view hint : parsed.hints) result.append(" ").append(hint);
  return result;
}

}  // namespace

TEST_CASE("the words of 1.36", "[messages]") {
  const char* full =
      "0/27 nodes are available: 1 Too many pods, 26 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity]. preemption: 0/27 nodes are available: 1 No preemption victims found for "
      "incoming pod, 26 Preemption is not helpful for scheduling.";
  CHECK(ids(full) == "sched-too-many-pods | preempt-no-victims preempt-unhelpful");
  CHECK(parse_scheduler_message(full).nodes == 27);
  CHECK_FALSE(parse_scheduler_message(full).counts_short);

  const SchedulerMessage two = parse_scheduler_message(
      "0/39 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 38 node(s) didn't "
      "satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/39 nodes are "
      "available: 39 Preemption is not helpful for scheduling.");
  REQUIRE(two.reasons.size() == 2);
  CHECK(two.reasons[0].resource == "cpu");
  CHECK(two.reasons[1].resource == "memory");
  CHECK(two.reasons[1].text == "Insufficient memory");
  CHECK_FALSE(two.target_unknown);
}

TEST_CASE("older words", "[messages]") {
  CHECK(ids("0/3 nodes are available: 1 node(s) had taint {dedicated: gpu}, that the pod didn't "
            "tolerate, 2 node(s) didn't match Pod's node affinity/selector.") == "sched-taint");
  CHECK(ids("0/3 nodes are available: 1 Insufficient pods, 2 node(s) didn't match node "
            "selector.") == "sched-too-many-pods");
  CHECK(ids("0/3 nodes are available: 3 node(s) didn't match node selector.") ==
        "sched-node-selector");
  CHECK(ids("0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 "
            "node(s) had volume node affinity conflict.") == "sched-volume-affinity");
  CHECK(ids("0/5 nodes are available: 1 node(s) had taint {a: b, 3 c}, that the pod didn't "
            "tolerate, 4 node(s) didn't match node selector.") ==
        "sched-taint scheduler-disagrees");
}

TEST_CASE("every reason has its finding", "[messages]") {
  struct Case {
    const char* reason;
    const char* id;
  };
  const Case row = GENERATE(values<Case>({
      {"node(s) were unschedulable", "sched-unschedulable"},
      {"node(s) had untolerated taint(s)", "sched-taint"},
      {"node(s) had untolerated taint {dedicated: gpu}", "sched-taint"},
      {"node(s) didn't match Pod's node affinity/selector", "sched-node-selector"},
      {"node(s) didn't match node selector", "sched-node-selector"},
      {"pod affinity terms conflict", "sched-affinity-conflict"},
      {"node(s) didn't match scheduler-enforced node affinity", "sched-affinity-conflict"},
      {"node(s) didn't have free ports for the requested pod ports", "sched-host-port"},
      {"Too many pods", "sched-too-many-pods"},
      {"Insufficient cpu", "sched-insufficient-cpu"},
      {"Insufficient memory", "sched-insufficient-memory"},
      {"Insufficient ephemeral-storage", "sched-insufficient-ephemeral-storage"},
      {"Insufficient hugepages-2Mi", "sched-insufficient-hugepages"},
      {"Insufficient nvidia.com/gpu", "sched-insufficient-extended"},
      {"node(s) had no available disk", "sched-volume-in-use"},
      {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
       "in-use by another pod",
       "sched-volume-in-use"},
      {"node(s) exceed max volume count", "sched-volume-limit"},
      {"ebs.csi.aws.com CSI driver is not installed on the node", "sched-volume-limit"},
      {"persistentvolumeclaim \"x\" not found", "sched-claim-missing"},
      {"persistentvolumeclaim \"x\" is being deleted", "sched-claim-missing"},
      {"persistentvolumeclaim \"x\" bound to non-existent persistentvolume \"y\"",
       "sched-claim-missing"},
      {"pod has unbound immediate PersistentVolumeClaims", "sched-claim-missing"},
      {"waiting for ephemeral volume controller to create the persistentvolumeclaim \"x\"",
       "sched-claim-missing"},
      {"node(s) didn't match PersistentVolume's node affinity", "sched-volume-affinity"},
      {"node(s) had volume node affinity conflict", "sched-volume-affinity"},
      {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
       "sched-volume-affinity"},
      {"node(s) didn't find available persistent volumes to bind", "sched-volume-binding"},
      {"node(s) did not have enough free storage", "sched-volume-binding"},
      {"node(s) had no available volume zone", "sched-volume-zone"},
      {"node(s) didn't match pod topology spread constraints", "sched-topology-spread"},
      {"node(s) didn't match pod topology spread constraints (missing required label)",
       "sched-topology-spread"},
      {"node(s) didn't match pod affinity rules", "sched-pod-affinity"},
      {"node(s) didn't match pod anti-affinity rules", "sched-pod-anti-affinity"},
      {"node(s) didn't satisfy existing pods anti-affinity rules", "sched-existing-anti-affinity"},
      {"resourceclaim in use", "sched-resource-claim"},
      {"resourceclaim not available on the node", "sched-resource-claim"},
      {"cannot allocate all claims", "sched-resource-claim"},
      {"device class gpu does not exist", "sched-resource-claim"},
      {"resourceclaim is in the process of being allocated", "sched-resource-claim"},
      {"node(s) didn't match Pod's required features", "sched-node-features"},
      {"Scheduling is blocked due to non-empty scheduling gates", "sched-gated"},
      {"the licence server said no", "scheduler-disagrees"},
  }));
  CAPTURE(row.reason);
  const std::string plain = row.reason;
  CHECK(ids(plain) == row.id);  // a plugin refused before looking at nodes
  CHECK(ids("0/9 nodes are available: 1 " + plain +
            ", 8 node(s) didn't satisfy plugin(s) [NodeAffinity].") == row.id);
  CHECK(ids("0/9 nodes are available: " + plain +
            ". preemption: 0/9 nodes are available: 9 "
            "Preemption is not helpful for scheduling.") ==
        std::string(row.id) + " | preempt-unhelpful");
}

TEST_CASE("nodes that the scheduler does not know", "[messages]") {
  const SchedulerMessage gone = parse_scheduler_message(
      "0/27 nodes are available: 27 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: "
      "0/27 nodes are available: 27 Preemption is not helpful for scheduling.");
  CHECK(gone.target_unknown);
  CHECK(gone.reasons.empty());
  const SchedulerMessage stale = parse_scheduler_message(
      "0/27 nodes are available: 1 Too many pods, 20 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity].");
  CHECK(stale.counts_short);
}

TEST_CASE("preemption's other words", "[messages]") {
  CHECK(ids("0/2 nodes are available: 1 Too many pods, 1 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity]. preemption: not eligible due to preemptionPolicy=Never.") ==
        "sched-too-many-pods | preempt-never");
  CHECK(ids("0/2 nodes are available: 1 Too many pods. preemption: not eligible due to a "
            "terminating pod on the nominated node.") ==
        "sched-too-many-pods | preempt-in-progress");
}

TEST_CASE("hostile messages", "[messages]") {
  const char* text = GENERATE("", ".", "0/", "0/99999999999999999999 nodes are available: 1 x",
                              "0/3 nodes are available: ", ", , , 1 , 2 ", "1 ", "-1/-1",
                              "0/3 nodes are available: 99999999999999999999 Too many pods");
  CAPTURE(text);
  CHECK_FALSE(parse_scheduler_message(text).target_unknown);
  CHECK(parse_scheduler_message(std::string(100000, ',')).reasons.size() <= 1);
}
