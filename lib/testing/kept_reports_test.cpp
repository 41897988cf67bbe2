// SPDX-License-Identifier: Apache-2.0

// An answer that keeps reports of the state before equals one that is made again, for random
// sequences of changes.

#include "diagnosis/kept_reports.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "decode/cluster/merge.h"
#include "fixes/explanation.h"
#include "render/data/json.h"
#include "source/live/live_objects.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

namespace dsdoctor::testing {
namespace {

/// A cluster that changes, and the notes about it, as a live source makes them.
class ChangingCluster {
 public:
  ChangingCluster(std::uint64_t seed, unsigned trouble)
      : random_(seed), cluster_(troubled_cluster(seed, {10, 6, trouble})), now_(troubled_now()) {}

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] model::Time now() const { return now_; }
  [[nodiscard]] model::StateChanges take_changes() { return std::exchange(changes_, {}); }

  /// Does one thing that happens in clusters; returns its name.
  std::string change() {
    static const std::vector<std::pair<std::string, void (ChangingCluster::*)()>> all = {
        {"a pod is not ready", &ChangingCluster::unready},
        {"a pod is ready", &ChangingCluster::ready},
        {"a pod is deleted", &ChangingCluster::remove_pod},
        {"a deleted pod is back", &ChangingCluster::restore_pod},
        {"a pod terminates", &ChangingCluster::terminate},
        {"a pod of another workload changes", &ChangingCluster::other_pod},
        {"a node is tainted", &ChangingCluster::taint},
        {"a node loses its taints", &ChangingCluster::untaint},
        {"a node is deleted", &ChangingCluster::remove_node},
        {"a status is written", &ChangingCluster::write_status},
        {"a template changes", &ChangingCluster::change_template},
        {"a DaemonSet is deleted", &ChangingCluster::remove_daemon_set},
        {"time passes", &ChangingCluster::wait},
        {"the clock is set back", &ChangingCluster::set_back}};
    const auto& [name, does] = all[below(all.size())];
    (this->*does)();
    return name;
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  template <typename Object, typename Change>
  void change_one(std::vector<Object>& objects, const Change& change) {
    if (objects.empty()) return;
    Object& object = objects[below(objects.size())];
    const Object before = object;
    change(object);
    if (source::differs(before, object)) changes_.note(&before, &object);
  }
  template <typename Object>
  std::optional<Object> remove_one(std::vector<Object>& objects) {
    if (objects.empty()) return std::nullopt;
    const auto at = objects.begin() + static_cast<std::ptrdiff_t>(below(objects.size()));
    Object object = std::move(*at);
    objects.erase(at);
    changes_.note(&object, nullptr);
    return object;
  }
  void set_ready(model::Pod& pod, const char* status) const {
    pod.phase = "Running";
    pod.conditions = {{"Ready", status, "", "", now_ - std::chrono::hours(1)}};
  }
  void unready() {
    change_one(cluster_.pods, [&](model::Pod& pod) { set_ready(pod, "False"); });
  }
  void ready() {
    change_one(cluster_.pods, [&](model::Pod& pod) { set_ready(pod, "True"); });
  }
  void remove_pod() {
    if (auto pod = remove_one(cluster_.pods)) removed_.push_back(std::move(*pod));
  }
  void restore_pod() {
    if (removed_.empty()) return;
    changes_.note(nullptr, &removed_.back());
    cluster_.pods.push_back(std::move(removed_.back()));
    removed_.pop_back();
    decode::sort_unique(cluster_);
  }
  void terminate() {
    change_one(cluster_.pods, [&](model::Pod& pod) { pod.meta.deleted = now_; });
  }
  void other_pod() {
    model::Pod pod;
    pod.meta.ns = "web";
    pod.meta.name = "web-" + std::to_string(below(4));
    pod.meta.controller = model::ControllerRef{"ReplicaSet", "web", "u-web", "apps/v1"};
    pod.node_name = cluster_.nodes.empty() ? model::Text() : cluster_.nodes.front().meta.name;
    set_ready(pod, below(2) == 0 ? "True" : "False");
    const auto at = std::ranges::find(cluster_.pods, pod.meta.name,
                                      [](const model::Pod& other) { return other.meta.name; });
    if (at == cluster_.pods.end()) {
      changes_.note(nullptr, &pod);
      cluster_.pods.push_back(std::move(pod));
      decode::sort_unique(cluster_);
    } else {
      if (source::differs(*at, pod)) changes_.note(&*at, &pod);
      *at = std::move(pod);
    }
  }
  void taint() {
    change_one(cluster_.nodes, [&](model::Node& node) {
      node.taints.push_back({"dedicated", "db", "NoSchedule"});
    });
  }
  void untaint() {
    change_one(cluster_.nodes, [](model::Node& node) { node.taints.clear(); });
  }
  void remove_node() {
    if (cluster_.nodes.size() > 4) (void)remove_one(cluster_.nodes);
  }
  void write_status() {
    change_one(cluster_.daemon_sets, [&](model::DaemonSet& ds) {
      ds.reported.number_ready = static_cast<std::int64_t>(below(10));
    });
  }
  void change_template() {
    change_one(cluster_.daemon_sets, [](model::DaemonSet& ds) {
      ++ds.generation;
      ds.pod_template.tolerations.push_back({"dedicated", "Exists", "", ""});
    });
  }
  void remove_daemon_set() {
    if (cluster_.daemon_sets.size() > 3) (void)remove_one(cluster_.daemon_sets);
  }
  void wait() { now_ += std::chrono::seconds(static_cast<long>(below(90))); }
  void set_back() { now_ -= std::chrono::seconds(5); }

  std::mt19937_64 random_;
  model::Cluster cluster_;
  model::Time now_;
  model::StateChanges changes_ = {.everything = true};
  std::vector<model::Pod> removed_;
};

std::string answer(const ChangingCluster& changing, diagnosis::KeptReports* kept) {
  diagnosis::ReportOptions options;
  options.now = changing.now();
  options.kept = kept;
  const diagnosis::Reporter reporter(changing.cluster(), options);
  std::vector<const model::DaemonSet*> daemon_sets;
  for (const model::DaemonSet& ds : changing.cluster().daemon_sets) daemon_sets.push_back(&ds);
  // As commands do: verdicts decide on what else is read.
  for (const model::DaemonSet* ds : daemon_sets) (void)reporter.verdicts(*ds);
  const fixes::Explanation explanation = fixes::explain(reporter, daemon_sets);
  return render::to_json(explanation, render::Envelope{}, render::Presentation()).dump();
}

TEST_CASE("an answer with kept reports equals a new one", "[kept]") {
  std::size_t reused = 0;
  const std::uint64_t seeds = rounds(40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const unsigned trouble : {0U, 4U}) {
      ChangingCluster changing(seed, trouble);
      diagnosis::KeptReports kept;
      std::string story = "seed " + std::to_string(seed);
      for (int step = 0; step < 25; ++step) {
        kept.advance(changing.take_changes(), {}, changing.now());
        INFO(story);
        const bool is_equal = answer(changing, &kept) == answer(changing, nullptr);
        REQUIRE(is_equal);
        const std::size_t changes = 1 + seed % 3;
        for (std::size_t i = 0; i < changes; ++i) story += ", " + changing.change();
      }
      reused += kept.reused();
    }
  }
  // The rule is tested only if it lets reports be used again; sanitizers have fewer seeds.
  CHECK(reused > 13 * seeds);
}

}  // namespace
}  // namespace dsdoctor::testing
