// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/template_change.h"
#include "diagnosis/views/timeline_draft.h"

namespace dsdoctor::diagnosis {
namespace {

/// Some events are enough: the timeline states that others may be missing.
bool knows_events(const model::Cluster& cluster) {
  return cluster.known.events || !cluster.events.empty();
}

/// The key of the first label that is a reason; empty if none is.
std::string label_in(const auto& reasons) {
  for (const placement::Reason& reason : reasons) {
    if (const model::Text* key = label_of_reason(reason)) return key->str();
  }
  return {};
}

bool is_name_character(char c) { return base::is_alphanumeric(c) || c == '-'; }

/// The names in `text` as whole words, not parts of longer names; may have duplicates.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> result;
  const auto is_part = [](char c) { return is_name_character(c) || c == '.'; };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_part);
    at = std::find_if_not(begin, text.end(), is_part);
    std::string_view name(begin, at);
    name = name.substr(0, name.find(".."));
    if (name.ends_with('.')) name.remove_suffix(1);  // the period ends the sentence
    if (!name.empty()) result.push_back(name);
  }
  return result;
}

/// Keys of the labels that the template selects nodes by.
std::vector<std::string_view> wanted_labels(const model::PodTemplate& of) {
  std::vector<std::string_view> result;
  for (const auto& [key, value] : of.node_selector) result.emplace_back(key);
  if (!of.node_affinity) return result;
  for (const auto& term : of.node_affinity->terms) {
    for (const auto& requirement : term.match_expressions) result.emplace_back(requirement.key);
  }
  return result;
}

/// ": image of main a:1 → a:2"; empty without known changes.
std::string changed_since(const model::ControllerRevision* before,
                          const model::ControllerRevision& revision) {
  if (before == nullptr || before->pod_template.spec.containers.empty() ||
      revision.pod_template.spec.containers.empty()) {
    return {};
  }
  const auto changes = template_changes(before->pod_template, revision.pod_template);
  if (changes.empty()) {
    return is_restart(before->pod_template, revision.pod_template) ? ": a restart" : "";
  }
  constexpr std::size_t shown = 5;
  return ": " + base::listed(
                    changes.size(), [&](std::size_t i) { return text_of(changes[i]); }, shown);
}

}  // namespace

History::History(const Facts& facts, const model::DaemonSet& ds)
    : facts_(facts), ds_(ds), events_(ds, facts), own_events_(events_.own()) {
  for (const model::Event* event : own_events_) {
    for (const std::string_view name : names_in(event->message)) {
      Facts::Events& named = own_events_by_name_[name];
      if (named.empty() || named.back() != event) named.push_back(event);
    }
  }
  const std::string prefix = fmt::format("{}-", ds.meta.name.view());
  for (const model::Event* event : facts.events_of_generated_pods(ds.meta.ns, prefix)) {
    pod_events_[event->name].push_back(event);
  }
  for (const auto& [name, events] : pod_events_) {
    if (model::find_pod(facts.cluster(), ds.meta.ns, name) != nullptr) continue;
    std::set<std::string_view> nodes;
    for (const model::Event* event : events) {
      for (const std::string_view node : {event->host.view(), assigned_node(*event)}) {
        if (!node.empty()) nodes.insert(node);
      }
    }
    for (const std::string_view node : nodes) gone_pods_[node].push_back(name);
  }
}

Timeline History::of_daemon_set() const {
  const std::string object = fmt::format("DaemonSet/{}", ds_.meta.name.view());
  TimelineDrafts drafts;
  const auto created = [&](model::Time time, std::string of, std::string text) {
    drafts.push_back({{time, std::move(of), "metadata.creationTimestamp", std::move(text)},
                      TimelineRank::Change,
                      "",
                      time});
  };
  if (ds_.meta.created) created(*ds_.meta.created, object, "was created");
  add_spec_writers(drafts, ds_.meta, object);
  const model::ControllerRevision* before = nullptr;
  for (const model::ControllerRevision* revision : revisions_by_number(ds_, facts_)) {
    if (revision->meta.created) {
      created(*revision->meta.created,
              fmt::format("ControllerRevision/{}", revision->meta.name.view()),
              fmt::format("the template of revision {} was applied for the first time{}",
                          revision->revision, changed_since(before, *revision)));
    }
    before = revision;
  }
  const std::set<const model::Event*> explained = add_label_losses(drafts);
  for (const model::Event* event : own_events_) {
    if (!explained.contains(event)) add_event(drafts, *event);
  }
  return {merged(std::move(drafts)), knows_events(facts_.cluster())};
}

std::set<const model::Event*> History::add_label_losses(TimelineDrafts& drafts) const {
  std::set<const model::Event*> explained;
  const auto is_deletion = [](const auto* event) { return !deleted_pod(*event).empty(); };
  if (std::ranges::none_of(own_events_, is_deletion)) return explained;
  const placement::Evaluator rules(ds_.pod_template, {});
  for (const model::Node& node : facts_.cluster().nodes) {
    const auto loss = label_loss(node, ds_, events_);
    if (!loss || loss->pod.empty()) continue;
    const std::string label = label_in(rules.evaluate(node).reasons);
    if (label.empty()) continue;
    add_label_loss(drafts, node, *loss, label);
    explained.insert(loss->deletion);
  }
  return explained;
}

std::vector<const model::Event*> History::pod_events_on(
    const model::Node& node, const std::vector<const model::Pod*>& pods) const {
  std::vector<const model::Event*> result;
  std::vector<std::string_view> names = {node.meta.name};
  for (const model::Pod* pod : pods) {
    names.emplace_back(pod->meta.name);
    const auto events = facts_.events_of("Pod", pod->meta.ns, pod->meta.name, pod->meta.uid);
    result.insert(result.end(), events.begin(), events.end());
  }
  if (const auto gone = gone_pods_.find(node.meta.name); gone != gone_pods_.end()) {
    for (const std::string_view name : gone->second) {
      names.push_back(name);
      const auto& events = pod_events_.at(name);
      result.insert(result.end(), events.begin(), events.end());
    }
  }
  Facts::Events own;
  for (const std::string_view name : names) {
    const auto named = own_events_by_name_.find(name);
    if (named == own_events_by_name_.end()) continue;
    own.insert(own.end(), named->second.begin(), named->second.end());
  }
  sort_by_time(own);
  result.insert(result.end(), own.begin(), own.end());
  return result;
}

Timeline History::of_node(const model::Node& node, const NodeReport& report) const {
  std::vector<const model::Pod*> pods;
  for (const PodReport& pod : report.pods()) {
    const model::Pod* found = model::find_pod(facts_.cluster(), ds_.meta.ns, pod.name);
    if (found != nullptr) pods.push_back(found);
  }
  TimelineDrafts drafts;
  add_node(drafts, node, wanted_labels(ds_.pod_template));
  for (const model::Pod* pod : pods) add_pod(drafts, *pod);
  for (const model::Event* event : facts_.events_of("Node", "", node.meta.name, node.meta.uid)) {
    add_event(drafts, *event);
  }
  if (report.verdict() == NodeVerdict::Excluded) {
    const std::string label = label_in(report.reasons());
    const auto loss = label_loss(node, ds_, events_);
    if (!label.empty() && loss && !loss->pod.empty()) add_label_loss(drafts, node, *loss, label);
  }
  for (const model::Event* event : pod_events_on(node, pods)) add_event(drafts, *event);
  return {merged(std::move(drafts)), knows_events(facts_.cluster())};
}

void add_timelines(DaemonSetReport& report, const model::DaemonSet& ds, const Facts& facts,
                   bool every_node) {
  base::IndexRuns nodes;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (every_node || is_wrong(report.nodes[i])) nodes.push_back(i);
  }
  add_timelines(report, ds, facts, nodes);
}

void add_timelines(DaemonSetReport& report, const model::DaemonSet& ds, const Facts& facts,
                   const base::IndexRuns& nodes) {
  const History history(facts, ds);
  report.timeline = history.of_daemon_set();
  for (const std::size_t i : nodes) {
    const NodeReport entry = report.nodes[i];
    const model::Node* node = model::find_node(facts.cluster(), entry.name, i);
    if (node == nullptr) continue;
    Timeline timeline = history.of_node(*node, entry);
    report.nodes.change(i, [&](NodeState& state) { state.timeline = std::move(timeline); });
  }
}

}  // namespace dsdoctor::diagnosis
