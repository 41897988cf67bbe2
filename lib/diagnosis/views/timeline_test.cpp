// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/timeline.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/views/timeline_draft.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::testing::at;

namespace {

model::Event event(const char* kind, const char* name, const char* reason, const char* message,
                   int first, int last, int count = 1) {
  model::Event result;
  result.kind = kind;
  result.ns = result.kind == "Node" ? "" : "x";
  result.name = name;
  result.reason = reason;
  result.message = message;
  result.first = at(first);
  result.last = at(last);
  result.count = count;
  return result;
}

/// DaemonSet x/agent with pod agent-aaaaa on node gpu-1; a taint was added later.
model::Cluster story() {
  dsdoctor::testing::ClusterStory story;
  story.ds().pod_template.node_selector = {{"pool", "gpu"}};
  model::Node& node = story.add_node("gpu-1");
  node.meta.created = at(10);
  node.taints = {{"dedicated", "gpu", "NoSchedule", at(500)}};
  node.conditions = {{"MemoryPressure", "False", "KubeletHasSufficientMemory", "", at(11)},
                     {"DiskPressure", "False", "KubeletHasNoDiskPressure", "", at(11)},
                     {"Ready", "True", "KubeletReady", "", at(30)}};
  model::Pod& pod = story.add_pod("agent-aaaaa", "gpu-1");
  pod.meta.uid = "pod-1";
  pod.meta.created = at(40);
  pod.conditions = {{"PodScheduled", "True", "", "", at(41)}, {"Ready", "True", "", "", at(60)}};
  pod.start_time = at(35);  // the node's clock is slow
  pod.statuses.emplace_back();
  pod.statuses[0].name = "main";
  pod.statuses[0].running = true;
  pod.statuses[0].running_since = at(55);
  model::TerminatedState before;
  before.exit_code = 137;
  before.reason = "OOMKilled";
  before.started = at(45);
  before.finished = at(50);
  pod.statuses[0].last_terminated = before;
  story.cluster.known.events = true;
  return story.cluster;
}

std::vector<std::string> lines(const Timeline& timeline) {
  std::vector<std::string> result;
  for (const TimelineEntry& entry : timeline.entries) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(entry.time - at(0)).count();
    result.push_back(std::string(entry.upper_bound ? "<=" : "") + std::to_string(seconds) + " " +
                     entry.object + " " + entry.text);
  }
  return result;
}

OwnNodeReport on_node() {
  NodeState state;
  state.verdict = NodeVerdict::Misscheduled;
  state.pods.emplace_back().name = "agent-aaaaa";
  return {"gpu-1", std::move(state)};
}

std::vector<std::string> node_lines(const model::Cluster& cluster) {
  const Facts facts(cluster, at(1000));
  return lines(History(facts, cluster.daemon_sets[0]).of_node(cluster.nodes[0], on_node()));
}

}  // namespace

TEST_CASE("the timeline of a node has the states of the pod in order", "[diagnosis][timeline]") {
  CHECK(node_lines(story()) ==
        std::vector<std::string>{
            "10 Node/gpu-1 was created",
            "11 Node/gpu-1 MemoryPressure, DiskPressure became False",
            "30 Node/gpu-1 Ready became True (KubeletReady)",
            "40 Pod/agent-aaaaa was created",
            "41 Pod/agent-aaaaa was bound to gpu-1",
            "35 Pod/agent-aaaaa was accepted by the kubelet, at the same time by another clock",
            "45 Pod/agent-aaaaa container main started",
            "50 Pod/agent-aaaaa container main exited with 137 (OOMKilled)",
            "55 Pod/agent-aaaaa container main started",
            "60 Pod/agent-aaaaa became ready",
            "500 Node/gpu-1 taint dedicated=gpu:NoSchedule was added",
        });
}

TEST_CASE("an event is dropped if a status shows the same fact", "[diagnosis][timeline]") {
  model::Cluster cluster = story();
  const std::size_t before = node_lines(cluster).size();
  cluster.events = {
      event("DaemonSet", "agent", "SuccessfulCreate", "Created pod: agent-aaaaa", 42, 42),
      event("Node", "gpu-1", "NodeReady", "Node gpu-1 status is now: NodeReady", 33, 33),
      event("Pod", "agent-aaaaa", "Scheduled", "Successfully assigned x/agent-aaaaa to gpu-1", 41,
            41),
      event("Pod", "agent-aaaaa", "Started", "Started container main", 56, 56)};
  CHECK(node_lines(cluster).size() == before);
  // An event six seconds later is a separate entry.
  cluster.events[3].first = cluster.events[3].last = at(62);
  CHECK(node_lines(cluster).size() == before + 1);
}

TEST_CASE("events have entries for their first and last time", "[diagnosis][timeline]") {
  model::Cluster cluster = story();
  cluster.events = {
      event("Pod", "agent-aaaaa", "Unhealthy", "probe failed", 100, 900, 40),
      event("Pod", "agent-aaaaa", "FailedMount", "no volume", 70, 120, 3),
      // About a deleted pod, from the kubelet of this node.
      event("Pod", "agent-zzzzz", "OutOfpods", "too many pods", 65, 65),
      event("Pod", "agent-yyyyy", "OutOfpods", "elsewhere", 66, 66),
      event("Pod", "agent-gpu-bbbbb", "OutOfpods", "another DaemonSet's", 67, 67),
      event("DaemonSet", "agent", "FailedDaemonPod",
            "Found failed daemon pod x/agent-zzzzz on node gpu-1, will try to kill it", 68, 68),
      event("DaemonSet", "agent", "FailedDaemonPod",
            "Found failed daemon pod x/agent-ccccc on node gpu-10, will try to kill", 69, 69)};
  cluster.events[2].host = cluster.events[4].host = "gpu-1";
  cluster.events[3].host = "gpu-2";
  const auto all = node_lines(cluster);
  const auto has = [&](const std::string& line) { return std::ranges::count(all, line) == 1; };
  CHECK(has("100 Pod/agent-aaaaa Unhealthy: probe failed (the first time)"));
  CHECK(has("900 Pod/agent-aaaaa Unhealthy: probe failed (at least 40 times)"));
  CHECK(has("70 Pod/agent-aaaaa FailedMount: no volume (at least 3 times)"));
  CHECK(has("65 Pod/agent-zzzzz OutOfpods: too many pods"));
  CHECK(
      has("68 DaemonSet/agent FailedDaemonPod: Found failed daemon pod x/agent-zzzzz on node "
          "gpu-1, will try to kill it"));
  CHECK(all.size() == node_lines(story()).size() + 5);
}

TEST_CASE("the times of field writers are upper bounds", "[diagnosis][timeline]") {
  model::Cluster cluster = story();
  model::FieldManager writer;
  writer.manager = "kubectl-label";
  writer.operation = "Update";
  writer.time = at(600);
  writer.labels = {"a", "b", "c", "pool"};
  writer.taints = true;
  model::FieldManager heartbeat = writer;
  heartbeat.subresource = "status";
  model::FieldManager timeless = writer;
  timeless.time.reset();
  cluster.nodes[0].meta.managers = {heartbeat, writer, timeless};
  CHECK(node_lines(cluster).back() ==
        "<=600 Node/gpu-1 kubectl label last wrote the taints, labels pool, a, b and 1 more");
  CHECK(node_lines(cluster).size() == node_lines(story()).size() + 1);
}

TEST_CASE("the timeline of a DaemonSet has its spec and revisions and events",
          "[diagnosis][timeline]") {
  model::Cluster cluster = story();
  model::FieldManager writer;
  writer.manager = "helm";
  writer.operation = "Update";
  writer.time = at(300);
  writer.spec = writer.tolerations = true;
  cluster.daemon_sets[0].meta.managers = {writer};
  cluster.daemon_sets[0].meta.deleted = at(830);
  cluster.daemon_sets[0].meta.grace_seconds = 30;
  for (const char* owner : {"uid-1", "uid-2"}) {
    model::ControllerRevision& revision = cluster.revisions.emplace_back();
    revision.meta.ns = "x";
    revision.meta.name = std::string("agent-") + owner;
    revision.meta.created = at(301);
    revision.meta.controller = model::ControllerRef{"DaemonSet", "agent", owner};
    revision.revision = 2;
  }
  cluster.events = {event("DaemonSet", "agent", "FailedCreate", "quota", 400, 700, 9)};
  const Facts facts(cluster, at(1000));
  CHECK(lines(History(facts, cluster.daemon_sets[0]).of_daemon_set()) ==
        std::vector<std::string>{
            "0 DaemonSet/agent was created",
            "<=300 DaemonSet/agent Helm last wrote fields of its spec, tolerations among them",
            "301 ControllerRevision/agent-uid-1 the template of revision 2 was applied for the "
            "first time",
            "400 DaemonSet/agent FailedCreate: quota (the first time)",
            "700 DaemonSet/agent FailedCreate: quota (at least 9 times)",
            "800 DaemonSet/agent was deleted with a grace period of 30s",
        });
}

TEST_CASE("malformed input does not break a timeline", "[diagnosis][timeline]") {
  model::Cluster cluster = story();
  cluster.pods[0].meta.deleted = at(700);
  cluster.pods[0].meta.grace_seconds = std::numeric_limits<std::int64_t>::min();
  model::Event bare = event("Pod", "agent-aaaaa", "", "", 0, 0);
  bare.first = bare.last = std::nullopt;
  model::Event huge = event("Pod", "agent-aaaaa", "R", "", 5, 2);  // ends before it begins
  huge.message = std::string(299, 'x') + "\xC3\xA9 and the cause";
  cluster.events = {bare, huge};
  cluster.known.events = false;
  const Facts facts(cluster, at(1000));
  const Timeline timeline =
      History(facts, cluster.daemon_sets[0]).of_node(cluster.nodes[0], on_node());
  CHECK(timeline.events_known);  // some events were read
  const auto found = std::ranges::find_if(
      timeline.entries, [](const auto& entry) { return entry.text.starts_with("R: "); });
  REQUIRE(found != timeline.entries.end());
  CHECK(found->text ==
        "R: " + std::string(147, 'x') + " ... " + std::string(132, 'x') + "\xC3\xA9 and the cause");
  CHECK(std::ranges::is_sorted(timeline.entries, {}, [](const auto& entry) {
    // One entry may come after its time, because of a clock.
    return entry.text.find("another clock") == std::string::npos ? entry.time : at(41);
  }));
}

TEST_CASE("wrong nodes or all nodes have timelines", "[diagnosis][timeline]") {
  const model::Cluster cluster = story();
  const Facts facts(cluster, at(1000));
  DaemonSetReport report;
  for (const char* name : {"gpu-1", "gpu-1", "gone"}) {
    report.nodes.push_back({name, on_node().state});
  }
  report.nodes.change(1, [](NodeState& state) { state.verdict = NodeVerdict::Running; });
  add_timelines(report, cluster.daemon_sets[0], facts, false);
  CHECK(report.timeline);
  CHECK(report.nodes[0].timeline());
  CHECK_FALSE(report.nodes[1].timeline());
  CHECK_FALSE(report.nodes[2].timeline());
  add_timelines(report, cluster.daemon_sets[0], facts, true);
  CHECK(report.nodes[1].timeline());
}
