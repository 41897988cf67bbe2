#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"
#include "diagnosis/reporter.h"

/// A small cluster for tests: DaemonSet x/agent, whose present revision has hash "new".
namespace dsdoctor::diagnosis::testing {

[[nodiscard]] inline model::Time at(std::int64_t seconds) {
  return model::Time(std::chrono::seconds(1'700'000'000 + seconds));
}

inline constexpr std::int64_t test_now = 10'000;  // seconds, of at()

class TestStory {
 public:
  TestStory() {
    model::DaemonSet& set = cluster.daemon_sets.emplace_back();
    set.meta = {"x", "agent", "uid-1", "", {}, at(0), {}, {}};
    set.selector = model::LabelSelector{{{"app", "agent"}}, {}};
    set.pod_template.labels = {{"app", "agent"}};
    set.template_fingerprint = 7;
    set.generation = set.observed_generation = 1;
    set.update_strategy = "RollingUpdate";
    revision("new", 2, 7);
  }

  [[nodiscard]] model::DaemonSet& ds() { return cluster.daemon_sets.front(); }

  void revision(std::string_view hash, std::int64_t number, std::uint64_t fingerprint) {
    model::ControllerRevision& revision = cluster.revisions.emplace_back();
    revision.meta = {"x",
                     "agent-" + std::string(hash),
                     "",
                     "",
                     {{"controller-revision-hash", std::string(hash)}},
                     at(0),
                     {},
                     model::ControllerRef{"DaemonSet", "agent", "uid-1"}};
    revision.revision = number;
    revision.template_fingerprint = fingerprint;
  }

  /// Ready nodes, in the order of their names.
  TestStory& nodes(std::initializer_list<const char*> names) {
    for (const std::string_view name : names) {
      model::Node& node = cluster.nodes.emplace_back();
      node.meta.name = name;
      node.conditions = {{"Ready", "True", "", "", at(0)}};
    }
    return *this;
  }

  [[nodiscard]] model::Node& node(std::string_view name) {
    return *std::ranges::find(cluster.nodes, name,
                              [](const auto& node) { return node.meta.name.view(); });
  }

  /// A bound, ready pod of a revision, which the caller then bends.
  model::Pod& pod(const char* node, const char* hash = "new") {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta = {"x",
                "p" + std::to_string(cluster.pods.size()),
                "",
                "",
                {{"app", "agent"}, {"controller-revision-hash", hash}},
                at(0),
                {},
                model::ControllerRef{"DaemonSet", "agent", "uid-1"}};
    pod.node_name = node;
    pod.phase = "Running";
    pod.conditions = {{"Ready", "True", "", "", at(0)}};
    return pod;
  }

  static void unbind(model::Pod& pod, const char* target, const char* why) {
    pod.node_name = {};
    pod.phase = "Pending";
    pod.conditions = {{"PodScheduled", "False", "Unschedulable", why, at(0)}};
    pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {target}}}}}};
  }

  /// Of the controller, about the DaemonSet.
  model::Event& event(const char* reason, const char* message, std::int64_t last) {
    model::Event& event = cluster.events.emplace_back();
    event.meta.ns = "x";
    event.meta.name = "e" + std::to_string(cluster.events.size());
    event.kind = "DaemonSet";
    event.ns = "x";
    event.name = "agent";
    event.uid = "uid-1";
    event.component = "daemonset-controller";
    event.reason = reason;
    event.message = message;
    event.first = event.last = at(last);
    cluster.known.events = true;
    return event;
  }

  /// What `family` says of the DaemonSet at test_now.
  template <typename Family>
  [[nodiscard]] auto ask(Family family) const {
    const Facts facts(cluster, at(test_now));
    const ControllerBehaviour behaviour = behaviour_of(cluster.version);
    const model::DaemonSet& set = cluster.daemon_sets.front();
    const auto claimed = PodIndex(cluster, behaviour).claimed_by(set);
    const std::vector<const model::Pod*> lost;
    const TemplateRevision revision(set, cluster);
    const DaemonSetReport report = Reporter(cluster, {{}, at(test_now), {}}).report(set);
    return family(DaemonSetCase{set, facts, behaviour, claimed, lost, revision, report, {}});
  }

  /// The same of one node.
  template <typename Family>
  [[nodiscard]] auto ask_node(Family family, std::string_view name) const {
    return ask([&](const DaemonSetCase& c) {
      const auto report = std::ranges::find(c.report.nodes, name,
                                            [](const auto& node) { return node.name.view(); });
      const std::vector<const model::Pod*> none;
      return family(NodeCase{c, *model::find_node(cluster, name), none, *report});
    });
  }

  model::Cluster cluster;
};

/// "id id", in the order given.
[[nodiscard]] inline std::string ids(const std::vector<Finding>& findings) {
  std::string result;
  for (const Finding& finding : findings) {
    result += (result.empty() ? "" : " ") + std::string(finding.name());
  }
  return result;
}

}  // namespace dsdoctor::diagnosis::testing
