// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/loop_findings.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/template_change.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds change_window = 5min;
constexpr std::size_t most_changes = 3;
// A client that restores a backup creates all revisions within a moment.
constexpr std::chrono::seconds least_between_changes = 2s;
constexpr std::chrono::seconds creation_window = 10min;
constexpr double most_creations = 5;  // for a node
constexpr std::chrono::seconds still_going = 2min;

bool is_within(const model::OptionalTime& time, std::chrono::seconds window, model::Time now) {
  return time && *time <= now && now - *time < window;
}

/// The number of occurrences within the window before `now`. Those of a repeated event are assumed
/// to be spread evenly between the first and the last.
double count_within(const model::Event& event, std::chrono::seconds window, model::Time now) {
  const model::Time last = last_seen(event);
  const model::Time begin = now - window;
  if (last < begin) return 0;
  const model::Time first = event.first.value_or(last);
  const auto count = static_cast<double>(times(event));
  if (first >= begin || last <= first) return count;
  return count * (std::chrono::duration<double>(last - begin) / (last - first));
}

double count_within(const Facts::Events& events, std::string_view reason,
                    std::chrono::seconds window, model::Time now) {
  double result = 0;
  for (const model::Event* event : events) {
    if (event->reason == reason) result += count_within(*event, window, now);
  }
  return result;
}

/// Whether each of the newest `changes` revisions is only a restart against the one before it.
bool are_restarts(const std::vector<const model::ControllerRevision*>& revisions,
                  std::size_t changes) {
  if (revisions.size() < 2) return false;
  for (std::size_t i = revisions.size() - 1; i > 0 && changes > 0; --i, --changes) {
    if (!is_restart(revisions[i - 1]->pod_template, revisions[i]->pod_template)) return false;
  }
  return true;
}

/// The fields in which the two newest revisions differ.
std::vector<std::string> last_change(
    const std::vector<const model::ControllerRevision*>& revisions) {
  std::vector<std::string> result;
  if (revisions.size() < 2) return result;
  const model::PodTemplate& before = revisions[revisions.size() - 2]->pod_template;
  const model::PodTemplate& after = revisions.back()->pod_template;
  for (const TemplateChange& change : template_changes(before, after)) {
    result.push_back(text_of(change));
  }
  return result;
}

/// The clients that wrote the DaemonSet's spec within the window, by managedFields.
std::vector<std::string> writers(const DaemonSetCase& of, std::chrono::seconds window) {
  std::set<std::string> result;
  for (const model::FieldManager& manager : of.ds.meta.managers) {
    if (manager.spec && manager.subresource.empty() &&
        is_within(manager.time, window, of.facts.now())) {
      result.insert(manager.manager.str());
    }
  }
  return {result.begin(), result.end()};
}

std::optional<Finding> template_loop(const DaemonSetCase& of) {
  const model::Time now = of.facts.now();
  const auto revisions = revisions_by_number(of.ds, of.facts);
  std::vector<const model::ControllerRevision*> recent;
  for (const model::ControllerRevision* one : revisions) {
    // The first revision does not change anything.
    const bool is_first = one == revisions.front() && one->revision <= 1;
    if (!is_first && is_within(one->meta.created, change_window, now)) recent.push_back(one);
  }
  if (recent.size() < most_changes) return std::nullopt;
  const auto by_time = [](const auto* one) { return *one->meta.created; };
  const auto* oldest = *std::ranges::min_element(recent, {}, by_time);
  const auto* newest = *std::ranges::max_element(recent, {}, by_time);
  if (!is_within(newest->meta.created, still_going, now)) return std::nullopt;
  const auto lasts = *newest->meta.created - *oldest->meta.created;
  if (lasts < least_between_changes * (recent.size() - 1)) return std::nullopt;
  const bool restarts = are_restarts(revisions, recent.size());
  return make_finding(finding::DaemonsetLoop{.ago = now - *newest->meta.created,
                                             .changes = recent.size(),
                                             .creations = std::optional<std::int64_t>(),
                                             .fields = last_change(revisions),
                                             .it_is_restarted = restarts,
                                             .its_nodes_may_change = false,
                                             .its_template_changes = !restarts,
                                             .on_node = "",
                                             .within = lasts,
                                             .writers = writers(of, change_window)},
                      {{{"ControllerRevision", newest->meta.ns.str(), newest->meta.name.str()},
                        "metadata.creationTimestamp",
                        base::rfc3339(*newest->meta.created)},
                       {ref_of(of.ds), "metadata.generation", std::to_string(of.ds.generation)}},
                      names_of(of));
}

/// Pods that end by themselves are replaced for another reason.
bool ends_by_itself(const Facts::Events& events, model::Time now) {
  return count_within(events, "FailedDaemonPod", creation_window, now) > 0 ||
         count_within(events, "SucceededDaemonPod", creation_window, now) > 0;
}

/// At most on how many nodes the controller can have created pods within the window. A change of
/// the template can have made most of them ineligible since.
std::int64_t nodes_of_creations(const DaemonSetCase& of,
                                const std::vector<const model::ControllerRevision*>& revisions) {
  const DaemonSetReport& report = of.report;
  const std::int64_t desired = std::max(report.evaluated.counts.desired_number_scheduled,
                                        report.reported.desired_number_scheduled);
  const bool has_changed = std::ranges::any_of(revisions, [&](const auto* one) {
    return is_within(one->meta.created, creation_window, of.facts.now());
  });
  if (desired > 0 && !has_changed) return desired;
  return std::max<std::int64_t>({1, desired, static_cast<std::int64_t>(report.all_nodes)});
}

std::optional<Finding> creation_loop(const DaemonSetCase& of) {
  const model::Time now = of.facts.now();
  const Facts::Events& events = of.events.own();
  const model::Event* newest_creation = newest(events, {"SuccessfulCreate"});
  if (newest_creation == nullptr || ends_by_itself(events, now)) return std::nullopt;
  const bool is_going = is_within(last_seen(*newest_creation), still_going, now) ||
                        std::ranges::any_of(of.claimed.owned, [&](const model::Pod* pod) {
                          return is_within(pod->meta.created, still_going, now);
                        });
  const double created = count_within(events, "SuccessfulCreate", creation_window, now);
  const double deleted = count_within(events, "SuccessfulDelete", creation_window, now);
  const auto revisions = revisions_by_number(of.ds, of.facts);
  const double least = most_creations * static_cast<double>(nodes_of_creations(of, revisions));
  // Each of the pods but the last has been deleted.
  if (!is_going || created < least || deleted < least * (most_creations - 1) / most_creations) {
    return std::nullopt;
  }
  const bool is_settled =
      !revisions.empty() && is_older(revisions.back()->meta.created, creation_window, now);
  return make_finding(
      finding::DaemonsetLoop{.ago = now - last_seen(*newest_creation),
                             .changes = std::optional<std::int64_t>(),
                             .creations = static_cast<std::int64_t>(std::llround(created)),
                             .fields = std::vector<std::string>(),
                             .it_is_restarted = false,
                             .its_nodes_may_change = is_settled,
                             .its_template_changes = !is_settled,
                             .on_node = "",
                             .within = creation_window,
                             .writers = writers(of, creation_window)},
      {event_evidence(*newest_creation),
       {ref_of(of.ds), "metadata.generation", std::to_string(of.ds.generation)}},
      names_of(of));
}

/// The pods of the DaemonSet that were bound to a node within the window, by their events.
using PodsOfNode = std::map<std::string_view, std::set<std::string_view>>;

PodsOfNode pods_bound_lately(const DaemonSetCase& of, const Facts::Events& of_pods) {
  PodsOfNode result;
  for (const model::Event* event : of_pods) {
    const std::string_view node = assigned_node(*event);
    if (!node.empty() && is_within(last_seen(*event), creation_window, of.facts.now())) {
      result[node].insert(event->name);
    }
  }
  return result;
}

/// The clients that wrote labels or taints of the node within the window.
std::vector<std::string> node_writers(const DaemonSetCase& of, std::string_view name) {
  std::set<std::string> result;
  const model::Node* node = model::find_node(of.facts.cluster(), name);
  if (node == nullptr) return {};
  for (const model::FieldManager& manager : node->meta.managers) {
    const bool matters = !manager.labels.empty() || manager.taints;
    if (matters && manager.subresource.empty() &&
        is_within(manager.time, creation_window, of.facts.now())) {
      result.insert(manager_name(manager.manager));
    }
  }
  return {result.begin(), result.end()};
}

/// The pod of a single node is replaced, such as by a label or a taint that is set and removed
/// repeatedly.
std::optional<Finding> loop_on_node(const DaemonSetCase& of) {
  const model::Time now = of.facts.now();
  if (of.events.own().empty() || ends_by_itself(of.events.own(), now)) return std::nullopt;
  const Facts::Events of_pods =
      of.facts.events_of_generated_pods(of.ds.meta.ns, of.ds.meta.name.str() + "-");
  const PodsOfNode bound = pods_bound_lately(of, of_pods);
  const auto by_pods = [](const auto& entry) { return entry.second.size(); };
  const auto worst = std::ranges::max_element(bound, {}, by_pods);
  if (worst == bound.end()) return std::nullopt;
  const auto deleted =
      std::ranges::count_if(of.events.deletions_on(worst->first), [&](const model::Event* event) {
        return is_within(last_seen(*event), creation_window, now);
      });
  // Each of the pods but the last has been deleted.
  const auto pods = static_cast<double>(worst->second.size());
  if (pods < most_creations || static_cast<double>(deleted) < most_creations - 1) {
    return std::nullopt;
  }
  const auto is_last = [&](const model::Event* event) {
    return assigned_node(*event) == worst->first && is_within(last_seen(*event), still_going, now);
  };
  const auto last = std::ranges::find_if(of_pods.rbegin(), of_pods.rend(), is_last);
  if (last == of_pods.rend()) return std::nullopt;
  Finding finding = make_finding(
      finding::DaemonsetLoop{.ago = now - last_seen(**last),
                             .changes = std::optional<std::int64_t>(),
                             .creations = static_cast<std::int64_t>(worst->second.size()),
                             .fields = std::vector<std::string>(),
                             .it_is_restarted = false,
                             .its_nodes_may_change = true,
                             .its_template_changes = false,
                             .on_node = worst->first,
                             .within = creation_window,
                             .writers = node_writers(of, worst->first)},
      {event_evidence(**last)}, names_of(of));
  finding.nodes = {std::string(worst->first)};
  return finding;
}

}  // namespace

std::optional<Finding> loop_finding(const DaemonSetCase& of) {
  if (of.ds.meta.deleted) return std::nullopt;
  if (auto found = template_loop(of)) return found;
  if (auto found = creation_loop(of)) return found;
  return loop_on_node(of);
}

bool may_be_replaced_repeatedly(const model::DaemonSet& ds, const PodTimes& pods, model::Time now) {
  return is_older(ds.meta.created, creation_window, now) &&
         (is_within(pods.oldest, still_going, now) ||
          is_within(pods.newest_on_old_node, still_going, now));
}

void PodTimes::note(const model::Pod& pod, const model::Cluster& cluster, model::Time now) {
  if (!is_noted_ || pod.meta.created < oldest) oldest = pod.meta.created;
  is_noted_ = true;
  if (!is_within(pod.meta.created, still_going, now)) return;
  const model::Node* node = model::find_node(cluster, pod.node_name);
  if (node == nullptr || !is_older(node->meta.created, creation_window, now)) return;
  if (!newest_on_old_node || *pod.meta.created > *newest_on_old_node) {
    newest_on_old_node = pod.meta.created;
  }
}

}  // namespace dsdoctor::diagnosis
