// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"
#include "diagnosis/reporter.h"
#include "model/release.h"
#include "render/words/message_text.h"
#include "testing/cluster_story.h"

/// A small cluster for tests: DaemonSet x/agent, whose current revision has hash "new".
namespace dsdoctor::diagnosis::testing {

using dsdoctor::testing::at;
using render::text_of;

inline constexpr std::int64_t test_now = 10'000;  // seconds, of at()

class TestStory : public dsdoctor::testing::ClusterStory {
 public:
  TestStory() {
    ds().template_fingerprint = 7;
    ds().update_strategy = "RollingUpdate";
    add_revision("new", 2, 7);
  }

  /// Adds Ready nodes; the names must be sorted.
  TestStory& nodes(std::initializer_list<const char*> names) {
    for (const std::string_view name : names) add_node(name);
    return *this;
  }

  /// Adds a bound, ready pod of a revision, for the caller to change.
  model::Pod& pod(const char* node, const char* hash = "new") {
    model::Pod& pod = add_pod("p" + std::to_string(cluster.pods.size() + 1), node);
    pod.meta.labels.set("controller-revision-hash", hash);
    return pod;
  }

  /// Adds an event of the controller about the DaemonSet.
  model::Event& event(const char* reason, const char* message, std::int64_t last) {
    model::Event& event = add_event("DaemonSet", "agent", reason, message, at(last));
    event.meta.ns = "x";
    event.meta.name = "e" + std::to_string(cluster.events.size());
    event.uid = "uid-1";
    event.component = "daemonset-controller";
    return event;
  }

  /// The findings of `family` about the DaemonSet at test_now.
  template <typename Family>
  [[nodiscard]] auto ask(Family family) const {
    const Facts facts(cluster, at(test_now));
    const ControllerBehaviour behaviour = behaviour_of(model::release_of(cluster).release);
    const model::DaemonSet& set = cluster.daemon_sets.front();
    const auto claimed = PodIndex(cluster, behaviour).claimed_by(set);
    const std::vector<const model::Pod*> lost;
    const TemplateRevision revision(set, cluster);
    const DaemonSetReport report = Reporter(cluster, {{}, at(test_now), {}}).report(set);
    return family(DaemonSetCase{set, facts, behaviour, claimed, lost, revision, report, {}});
  }

  /// The findings of `family` about one node.
  template <typename Family>
  [[nodiscard]] auto ask_node(Family family, std::string_view name) const {
    return ask([&](const DaemonSetCase& c) {
      const auto report = std::ranges::find(c.report.nodes, name,
                                            [](const auto& node) { return node.name.view(); });
      const std::vector<const model::Pod*> none;
      return family(NodeCase{c, *model::find_node(cluster, name), none, *report});
    });
  }
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
