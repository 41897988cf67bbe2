// SPDX-License-Identifier: Apache-2.0
#include "scheduling/messages.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::scheduling;

namespace {

using Filters = std::vector<FilterReason>;

Filters filters(std::string_view message) {
  Filters result;
  for (const MessageReason& reason : parse_scheduler_message(message).reasons) {
    result.push_back(reason.filter);
  }
  return result;
}

}  // namespace

TEST_CASE("messages of Kubernetes 1.36 are parsed", "[messages]") {
  using enum FilterReason;
  const char* full =
      "0/27 nodes are available: 1 Too many pods, 26 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity]. preemption: 0/27 nodes are available: 1 No preemption victims found for "
      "incoming pod, 26 Preemption is not helpful for scheduling.";
  CHECK(filters(full) == Filters{TooManyPods});
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

TEST_CASE("messages of older releases are parsed", "[messages]") {
  using enum FilterReason;
  CHECK(
      filters("0/3 nodes are available: 1 node(s) had taint {dedicated: gpu}, that the pod didn't "
              "tolerate, 2 node(s) didn't match Pod's node affinity/selector.") == Filters{Taint});
  CHECK(filters("0/3 nodes are available: 1 Insufficient pods, 2 node(s) didn't match node "
                "selector.") == Filters{TooManyPods});
  CHECK(filters("0/3 nodes are available: 3 node(s) didn't match node selector.") ==
        Filters{NodeSelector});
  CHECK(filters("0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 "
                "node(s) had volume node affinity conflict.") == Filters{VolumeAffinity});
  CHECK(filters("0/5 nodes are available: 1 node(s) had taint {a: b, 3 c}, that the pod didn't "
                "tolerate, 4 node(s) didn't match node selector.") == Filters{Taint, Unknown});
}

TEST_CASE("a message of an older release that rejects all nodes alike is ambiguous", "[messages]") {
  const auto of = [](const char* text) { return parse_scheduler_message(text); };
  CHECK(of("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
            .none_matches);
  CHECK(of("0/1 nodes are available: 1 node(s) didn't match node selector.").none_matches);
  CHECK_FALSE(of("0/3 nodes are available: 2 node(s) didn't match node selector, 1 Too many pods.")
                  .none_matches);
  CHECK_FALSE(of("0/3 nodes are available: 3 Too many pods.").none_matches);
  CHECK_FALSE(of("node(s) didn't match node selector").none_matches);
}

TEST_CASE("every reason is recognized with and without a count", "[messages]") {
  using enum FilterReason;
  struct Case {
    const char* reason;
    FilterReason filter;
  };
  const Case row = GENERATE(values<Case>({
      {"node(s) were unschedulable", Unschedulable},
      {"node(s) had untolerated taint(s)", Taint},
      {"node(s) had untolerated taint {dedicated: gpu}", Taint},
      {"node(s) didn't match Pod's node affinity/selector", NodeSelector},
      {"node(s) didn't match node selector", NodeSelector},
      {"pod affinity terms conflict", AffinityConflict},
      {"node(s) didn't match scheduler-enforced node affinity", AffinityConflict},
      {"node(s) didn't have free ports for the requested pod ports", HostPort},
      {"Too many pods", TooManyPods},
      {"Insufficient cpu", Cpu},
      {"Insufficient memory", Memory},
      {"Insufficient ephemeral-storage", EphemeralStorage},
      {"Insufficient hugepages-2Mi", HugePages},
      {"Insufficient nvidia.com/gpu", ExtendedResource},
      {"node(s) had no available disk", VolumeInUse},
      {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
       "in-use by another pod",
       VolumeInUse},
      {"node(s) exceed max volume count", VolumeLimit},
      {"ebs.csi.aws.com CSI driver is not installed on the node", VolumeLimit},
      {"persistentvolumeclaim \"x\" not found", ClaimMissing},
      {"persistentvolumeclaim \"x\" is being deleted", ClaimMissing},
      {"persistentvolumeclaim \"x\" bound to non-existent persistentvolume \"y\"", ClaimMissing},
      {"pod has unbound immediate PersistentVolumeClaims", ClaimMissing},
      {"waiting for ephemeral volume controller to create the persistentvolumeclaim \"x\"",
       ClaimMissing},
      {"node(s) didn't match PersistentVolume's node affinity", VolumeAffinity},
      {"node(s) had volume node affinity conflict", VolumeAffinity},
      {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", VolumeAffinity},
      {"node(s) didn't find available persistent volumes to bind", VolumeBinding},
      {"node(s) did not have enough free storage", VolumeBinding},
      {"node(s) had no available volume zone", VolumeZone},
      {"node(s) didn't match pod topology spread constraints", TopologySpread},
      {"node(s) didn't match pod topology spread constraints (missing required label)",
       TopologySpread},
      {"node(s) didn't match pod affinity rules", PodAffinity},
      {"node(s) didn't match pod anti-affinity rules", PodAntiAffinity},
      {"node(s) didn't satisfy existing pods anti-affinity rules", ExistingAntiAffinity},
      {"resourceclaim in use", ResourceClaim},
      {"resourceclaim not available on the node", ResourceClaim},
      {"cannot allocate all claims", ResourceClaim},
      {"device class gpu does not exist", ResourceClaim},
      {"resourceclaim is in the process of being allocated", ResourceClaim},
      {"node(s) didn't match Pod's required features", NodeFeatures},
      {"Scheduling is blocked due to non-empty scheduling gates", Gated},
      {"the licence server said no", Unknown},
  }));
  CAPTURE(row.reason);
  const std::string plain = row.reason;
  CHECK(filters(plain) == Filters{row.filter});  // a plugin rejected the pod before the filters ran
  CHECK(filters("0/9 nodes are available: 1 " + plain +
                ", 8 node(s) didn't satisfy plugin(s) [NodeAffinity].") == Filters{row.filter});
  CHECK(filters("0/9 nodes are available: " + plain +
                ". preemption: 0/9 nodes are available: 9 "
                "Preemption is not helpful for scheduling.") == Filters{row.filter});
}

TEST_CASE("a node that the scheduler does not know is recognized", "[messages]") {
  const SchedulerMessage gone = parse_scheduler_message(
      "0/27 nodes are available: 27 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: "
      "0/27 nodes are available: 27 Preemption is not helpful for scheduling.");
  CHECK(gone.target_unknown);
  CHECK(gone.reasons.empty());
  const SchedulerMessage stale = parse_scheduler_message(
      "0/27 nodes are available: 1 Too many pods, 20 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity].");
  CHECK(stale.counts_short);
  const SchedulerMessage left_out =
      parse_scheduler_message("0/6 nodes are available: 5 node(s) didn't match node selector.");
  CHECK(left_out.reasons.empty());
  CHECK(left_out.counts_short);
  CHECK_FALSE(left_out.target_unknown);
}

TEST_CASE("messages about preemption are ignored", "[messages]") {
  using enum FilterReason;
  CHECK(filters("0/2 nodes are available: 1 Too many pods, 1 node(s) didn't satisfy plugin(s) "
                "[NodeAffinity]. preemption: not eligible due to preemptionPolicy=Never.") ==
        Filters{TooManyPods});
  CHECK(filters("0/2 nodes are available: 1 Too many pods. preemption: not eligible due to a "
                "terminating pod on the nominated node.") == Filters{TooManyPods});
}

TEST_CASE("the order of the filters is that of the scheduler", "[messages]") {
  using enum FilterReason;
  CHECK(place_of(Unschedulable) < place_of(Taint));
  CHECK(place_of(Taint) < place_of(NodeSelector));
  CHECK(place_of(NodeSelector) < place_of(HostPort));
  CHECK(place_of(HostPort) < place_of(Cpu));
  CHECK_FALSE(place_of(ClaimMissing));  // before all filters
  CHECK_FALSE(place_of(Unknown));
}

TEST_CASE("numbers in a message without counts are part of its text", "[messages]") {
  const SchedulerMessage said =
      parse_scheduler_message("0/5 nodes are available: quota x needs 5, 3 left.");
  REQUIRE(said.reasons.size() == 1);
  CHECK(said.reasons.front().text == "quota x needs 5, 3 left");
}

TEST_CASE("malformed messages are parsed without a crash", "[messages]") {
  const char* text = GENERATE("", ".", "0/", "0/99999999999999999999 nodes are available: 1 x",
                              "0/3 nodes are available: ", ", , , 1 , 2 ", "1 ", "-1/-1",
                              "0/3 nodes are available: 99999999999999999999 Too many pods");
  CAPTURE(text);
  CHECK_FALSE(parse_scheduler_message(text).target_unknown);
  CHECK(parse_scheduler_message(std::string(100000, ',')).reasons.size() <= 1);
}

TEST_CASE("a message about a whole PodGroup is kept whole", "[messages]") {
  const std::string message = GENERATE(
      as<std::string>(),
      // 1.36
      "waiting for minCount pods from a gang to be scheduled", "pod group is unschedulable",
      "pod group is waiting for preemption to complete",
      "0/3 placements are available, first placement status: pod group is unschedulable",
      // 1.37
      "pod group is unschedulable, minCount (5) cannot be satisfied: 2 scheduled, 2 remaining, pod "
      "group preemption: No preemption victims found for incoming preemptor",
      "minCount (5) cannot be satisfied: 2 scheduled, 2 remaining",
      "pod group is unschedulable, minCount (5) is not yet satisfied: 2 scheduled, 0 remaining",
      // 1.38
      "parent pod group \"agents\" is unschedulable",
      "scheduling policy's minimum threshold (5) cannot be satisfied: 2 scheduled, 1 "
      "unschedulable, "
      "1 not-evaluated");
  const SchedulerMessage parsed = parse_scheduler_message(message);
  CHECK(parsed.of_group == message);
  CHECK(parsed.reasons.empty());
  CHECK_FALSE(parsed.target_unknown);
  CHECK_FALSE(parsed.counts_short);
}

TEST_CASE("a pod of a PodGroup may be rejected by its own node", "[messages]") {
  using enum FilterReason;
  for (const char* preemption :
       {"", " preemption: pod group for pod not found",
        " preemption: not eligible due to workload aware preemption enabled"}) {
    const SchedulerMessage parsed = parse_scheduler_message(
        "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) "
        "[NodeAffinity]." +
        std::string(preemption));
    CHECK(parsed.of_group.empty());
    REQUIRE(parsed.reasons.size() == 1);
    CHECK(parsed.reasons[0].filter == Cpu);
  }
}
