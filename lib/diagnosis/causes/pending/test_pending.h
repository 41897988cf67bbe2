// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pending pod for tests of the findings that explain it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "diagnosis/causes/pending/pending.h"
#include "model/release.h"
#include "placement/tolerates.h"
#include "render/words/message_text.h"
#include "testing/cluster_story.h"

namespace dsdoctor::diagnosis::testing {

using dsdoctor::testing::at;
using model::Time;
using render::text_of;

using Strings = std::vector<std::string>;

inline model::Container container(model::Labels requests) {
  model::Container result;
  result.name = "app";
  result.requests = std::move(requests);
  return result;
}

inline std::string words_for_one(const std::string& reason) {
  return "0/9 nodes are available: 1 " + reason +
         ", 8 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, "
         "preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.";
}

/// DaemonSet x/agent with an unbound pod for node n. The pod is created at 0, and the time is 1000
/// s. The node offers 4 cpu, 8Gi and 31 pods.
class PendingStory : public dsdoctor::testing::ClusterStory {
 public:
  PendingStory() {
    model::Node& node = add_node("n");
    node.meta.labels = {{"kubernetes.io/hostname", "n"}};
    node.allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "31"}};
    cluster.all_pods_known = true;
    pod = add_pod("agent-1", "n");
    cluster.pods.clear();  // not one of the pods read
    pod.meta.uid = "uid-pod";
    unbind(pod, "n", "");
    pod.conditions.clear();
    pod.tolerations = placement::automatic_tolerations(false);
    spec.containers = {container({})};
  }

  model::Node& node() { return cluster.nodes.front(); }

  /// A pod that runs on the node.
  model::Pod& neighbour(const char* name, model::Labels requests = {}, std::int64_t priority = 0) {
    model::Pod& other = add_pod(name, "n");
    other.meta.ns = "big";
    other.meta.labels = {};
    other.meta.controller.reset();
    model::PodSpec its;
    its.containers = {container(std::move(requests))};
    its.priority = priority;
    other.spec = its;
    return other;
  }
  void neighbours(int count) {
    for (int i = 0; i < count; ++i) neighbour(("web-" + std::to_string(i)).c_str());
  }

  void says(const std::string& message) {
    pod.conditions = {{"PodScheduled", "False", "Unschedulable", message, at(1)}};
  }

  /// The scheduler's event about the pod.
  model::Event& refused(const std::string& reason, Time when) {
    model::Event& event =
        add_event("Pod", "agent-1", "FailedScheduling", words_for_one(reason), when);
    event.ns = "x";
    event.uid = "uid-pod";
    return event;
  }

  std::vector<Finding> findings() {
    return judge([&](const NodeCase& c) { return pending_findings(c, pod); });
  }
  std::vector<Finding> predicted() {
    return judge([](const NodeCase& c) { return PodPrediction(c.of).findings(c); });
  }
  template <typename Judge>
  std::vector<Finding> judge(Judge how) {
    pod.spec = spec;
    const Facts facts(cluster, now);
    const ControllerBehaviour behaviour = behaviour_of(model::release_of(cluster).release);
    const PodIndex::Claimed claimed;
    const TemplateRevision revision(ds(), cluster);
    const DaemonSetReport report;
    const std::vector<const model::Pod*> lost;
    const DaemonSetCase of{ds(), facts, behaviour, claimed, lost, revision, report, gates};
    const std::vector<const model::Pod*> pods = {&pod};
    const OwnNodeReport entry;
    return how(NodeCase{of, node(), pods, entry});
  }
  Strings ids() {
    Strings result;
    for (const Finding& finding : findings()) result.emplace_back(finding.name());
    return result;
  }
  Finding finding(std::string_view id) {
    for (const Finding& finding : findings()) {
      if (finding.name() == id) return finding;
    }
    FAIL("no finding " << id);
    return {};
  }

  model::Pod pod = {};
  model::PodSpec spec = {};
  Time now = at(1000);
  placement::FeatureGates gates = {};
};

inline bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace dsdoctor::diagnosis::testing
