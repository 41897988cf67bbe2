// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/nodes/platform_findings.h"
#include "diagnosis/causes/pods/pod_findings.h"
#include "diagnosis/causes/pods/stray_findings.h"
#include "diagnosis/causes/pods/twin_findings.h"
#include "diagnosis/reporter.h"
#include "model/release.h"
#include "render/words/message_text.h"
#include "testing/cluster_story.h"

/// For tests only: a small cluster, and the findings about DaemonSet x/agent in it.
namespace dsdoctor::diagnosis {

using dsdoctor::testing::at;
using render::text_of;

class Scene : public dsdoctor::testing::ClusterStory {
 public:
  /// A node n1 and a DaemonSet with one container.
  Scene() {
    ds().meta.created = at(-86400);
    ds().pod_template.spec.containers = {container("main")};
    cluster.known.events = true;
    cluster.all_pods_known = true;
    node("n1");
  }

  static model::Container container(const char* name) {
    model::Container result;
    result.name = name;
    result.image = "registry.example/agent:1";
    return result;
  }

  model::Node& node(const char* name) {
    model::Node& node = add_node(name);
    node.meta.created = at(-86400);
    node.conditions = {{"Ready", "True", "KubeletReady", "", at(-86000)}};
    node.os = "linux";
    node.architecture = "amd64";
    return node;
  }

  model::Node& node_named(std::string_view name) { return ClusterStory::node(name); }

  /// Adds a bound, running, ready pod with the status of its container, for the caller to change.
  model::Pod& pod(const char* on = "n1") {
    const std::string number = std::to_string(cluster.pods.size() + 1);
    model::Pod& pod = add_pod("agent-0000" + number, on);
    pod.meta.uid = "pod-uid-" + number;
    pod.meta.labels.set("controller-revision-hash", "new");
    pod.start_time = at(1);
    pod.spec = ds().pod_template.spec;
    pod.conditions = {{"PodScheduled", "True", "", "", at(0)}, {"Ready", "True", "", "", at(10)}};
    model::ContainerStatus& status = pod.statuses.emplace_back();
    status.name = "main";
    status.ready = true;
    status.running = true;
    status.running_since = at(5);
    return pod;
  }
  model::Pod& unready_pod(const char* on = "n1") {
    model::Pod& result = pod(on);
    result.conditions[1] = {"Ready", "False", "ContainersNotReady", "", at(10)};
    result.statuses[0].ready = false;
    return result;
  }
  /// Adds a pod whose container waits for the given reason.
  model::Pod& waiting_pod(std::string_view reason, std::string_view message = {},
                          const char* on = "n1") {
    model::Pod& result = unready_pod(on);
    result.phase = "Pending";
    result.statuses[0].running = false;
    result.statuses[0].running_since.reset();
    result.statuses[0].waiting = model::WaitingState{reason, message};
    return result;
  }
  /// Adds a pod in CrashLoopBackOff whose container exited with `code`.
  model::Pod& crashing_pod(std::int64_t code, std::string_view reason = "Error",
                           std::string_view message = {}, const char* on = "n1") {
    model::Pod& result = waiting_pod("CrashLoopBackOff", "back-off 5m0s", on);
    result.phase = "Running";
    result.statuses[0].restart_count = 7;
    result.statuses[0].last_terminated =
        model::TerminatedState{code, 0, reason, message, at(100), at(130)};
    return result;
  }
  /// Adds a running pod whose container exited with `code` half an hour ago.
  model::Pod& ended_pod(std::int64_t code, std::string_view reason) {
    model::Pod& result = unready_pod();
    result.statuses[0].running = false;
    result.statuses[0].running_since.reset();
    result.statuses[0].terminated =
        model::TerminatedState{code, 0, reason, "", at(100), now - std::chrono::seconds(1800)};
    return result;
  }
  model::Pod& failed_pod(std::string_view reason, std::string_view message) {
    model::Pod& result = pod();
    result.phase = "Failed";
    result.reason = reason;
    result.message = message;
    result.conditions.clear();
    result.statuses.clear();
    return result;
  }

  /// Adds a warning of n1's kubelet about a pod, `ago` seconds before now.
  model::Event& event(std::string_view pod, std::string_view reason, std::string_view message,
                      std::int64_t ago = 60) {
    model::Event& event = add_event("Pod", pod, reason, message, now - std::chrono::seconds(ago));
    event.type = "Warning";
    event.component = "kubelet";
    event.host = "n1";
    return event;
  }

  /// All findings about a node and its pods.
  [[nodiscard]] std::vector<Finding> found(std::string_view node_name = "n1") {
    return examine(
        [&](const DaemonSetCase& the_case, const NodeCase* node) {
          std::vector<Finding> result;
          const auto add = [&](std::vector<Finding> more) {
            result.insert(result.end(), more.begin(), more.end());
          };
          add(gone_pod_findings(*node));
          add(pod_set_findings(*node));
          for (const model::Pod* pod : node->pods) add(bound_pod_findings(*node, *pod));
          for (auto* by_node : {architecture_findings, operating_system_findings}) {
            const auto all = by_node(the_case);
            if (const auto at = all.find(node_name); at != all.end()) result.push_back(at->second);
          }
          return result;
        },
        node_name);
  }
  [[nodiscard]] std::vector<Finding> strays() {
    return examine(
        [](const DaemonSetCase& the_case, const NodeCase*) { return stray_pod_findings(the_case); },
        "n1");
  }
  [[nodiscard]] std::vector<Finding> twins() {
    return examine(
        [](const DaemonSetCase& the_case, const NodeCase*) { return twin_findings(the_case); },
        "n1");
  }

  /// The ids of found(), in order, separated by blanks.
  [[nodiscard]] std::string ids(std::string_view node_name = "n1") {
    return ids_of(found(node_name));
  }
  [[nodiscard]] static std::string ids_of(const std::vector<Finding>& findings) {
    std::string result;
    for (const Finding& finding : findings) {
      result += (result.empty() ? "" : " ") + std::string(finding.name());
    }
    return result;
  }
  /// The only finding with that id.
  [[nodiscard]] Finding one(std::string_view id, std::string_view node_name = "n1") {
    return only(found(node_name), id);
  }
  [[nodiscard]] static Finding only(const std::vector<Finding>& findings, std::string_view id) {
    CAPTURE(std::string(id), ids_of(findings));
    REQUIRE(std::ranges::count(findings, id, &Finding::name) == 1);
    return *std::ranges::find(findings, id, &Finding::name);
  }

  model::Time now = at(3600);
  placement::FeatureGates gates = {};

 private:
  template <typename Judge>
  std::vector<Finding> examine(const Judge& judge, std::string_view node_name) {
    const auto key = [](const auto& object) {
      return std::pair(object.meta.ns.view(), object.meta.name.view());
    };
    std::ranges::sort(cluster.pods, {}, key);
    std::ranges::sort(cluster.nodes, {}, key);
    const Facts facts(cluster, now);
    const ControllerBehaviour behaviour = behaviour_of(model::release_of(cluster).release);
    const PodIndex index(cluster, behaviour);
    const PodIndex::Claimed claimed = index.claimed_by(ds());
    const TemplateRevision revision(ds(), cluster);
    const DaemonSetReport report = Reporter(cluster, {{}, now, {}}).report(ds());
    std::vector<const model::Pod*> lost;
    std::vector<const model::Pod*> here;
    for (const auto* pods : {&claimed.owned, &claimed.adoptable}) {
      for (const model::Pod* pod : *pods) {
        const model::Text* target = target_node(*pod);
        if (target == nullptr) lost.push_back(pod);
        if (target != nullptr && *target == node_name) here.push_back(pod);
      }
    }
    std::ranges::sort(here, [](const auto* a, const auto* b) { return stands_before(*a, *b); });
    const DaemonSetCase the_case{ds(), facts, behaviour, claimed, lost, revision, report, gates};
    std::vector<Finding> result;
    for (const NodeReport& entry : report.nodes) {
      if (entry.name != node_name) continue;
      const NodeCase node{the_case, *model::find_node(cluster, node_name), here, entry};
      result = judge(the_case, &node);
    }
    for (const Finding& finding : result) {
      const std::string message = text_of(finding.message);
      CAPTURE(finding.name(), message);
      CHECK_FALSE(message.empty());
      CHECK((!message.ends_with('.') || message.ends_with("...")));
      CHECK(message.find('\n') == std::string::npos);
      CHECK_FALSE(finding.evidence.empty());
    }
    return result;
  }
};

/// The pod specification of the DaemonSet's template, for the caller to change.
inline model::PodSpec& respec(Scene& scene) { return scene.ds().pod_template.spec; }

}  // namespace dsdoctor::diagnosis
