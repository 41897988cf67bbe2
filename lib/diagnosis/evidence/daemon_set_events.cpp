// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/daemon_set_events.h"

#include <algorithm>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view eviction_words = "Marking for deletion";
constexpr std::string_view node_words = " on node ";

const Facts::Events no_events;

const Facts::Events& found(const std::unordered_map<std::string_view, Facts::Events>& events,
                           std::string_view name) {
  const auto at = events.find(name);
  return at == events.end() ? no_events : at->second;
}

/// The text after the last `words`; empty if they do not occur.
std::string_view behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.rfind(words);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + words.size());
}

/// Name of the node in the message: n in "Found failed daemon pod x/agent-1 on node n, will try to
/// kill it".
std::string_view named_node(const model::Event& event) {
  const std::string_view text = event.message;
  const std::size_t at = text.find(node_words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + node_words.size());
  return rest.substr(0, rest.find_first_of(", "));
}

bool is_eviction(const model::Event& event) {
  return (event.reason == taint_eviction || event.reason == device_taint_eviction) &&
         event.message.view().find(eviction_words) != std::string_view::npos;
}

}  // namespace

DaemonSetEvents::DaemonSetEvents(const model::DaemonSet& ds, const Facts& facts)
    : own_(facts.events_of("DaemonSet", ds.meta.ns, ds.meta.name, ds.meta.uid)) {
  for (const model::Event* event : own_) {
    if (is_by_controller(*event)) note_creation(*event);
    if (const auto node = named_node(*event); !node.empty()) own_by_node_[node].push_back(event);
  }
  const Events of_pods = facts.events_of_generated_pods(ds.meta.ns, ds.meta.name.str() + "-");
  for (const model::Event* event : of_pods) {
    if (event->type != "Normal" && !event->host.empty()) complaints_[event->host].push_back(event);
    if (event->reason != "Preempted") continue;
    if (const auto node = behind(event->message, node_words); !node.empty()) {
      preemptions_[node].push_back(event);
    }
  }
  add_evictions(of_pods);
  add_deletions(of_pods);
}

void DaemonSetEvents::add_deletions(const Events& of_pods) {
  std::unordered_map<std::string_view, std::string_view> nodes;  // by pod
  for (const model::Event* event : own_) {
    if (const auto pod = deleted_pod(*event); !pod.empty()) nodes.try_emplace(pod);
  }
  if (nodes.empty()) return;
  for (const model::Event* event : of_pods) {
    const auto pod = nodes.find(event->name);
    if (pod == nodes.end() || !pod->second.empty()) continue;
    pod->second = event->host.empty() ? assigned_node(*event) : event->host.view();
  }
  for (const model::Event* event : own_) {
    const auto pod = nodes.find(deleted_pod(*event));
    if (pod == nodes.end()) continue;
    (pod->second.empty() ? deletions_anywhere_ : deletions_by_node_[pod->second]).push_back(event);
  }
}

void DaemonSetEvents::note_creation(const model::Event& event) {
  if (event.reason == "FailedCreate") {
    last_refusal_ = &event;
    has_recovered_ = false;
  } else if (event.reason == "SuccessfulCreate" && last_refusal_ != nullptr && event.last &&
             last_refusal_->last && *event.last > *last_refusal_->last) {
    last_refusal_ = nullptr;
    has_recovered_ = true;
  }
}

void DaemonSetEvents::add_evictions(const Events& of_pods) {
  for (const model::Event* event : of_pods) {
    if (is_eviction(*event)) evictions_by_pod_[event->name].push_back(event);
  }
  if (evictions_by_pod_.empty()) return;
  for (const model::Event* event : of_pods) {
    const auto evicted = evictions_by_pod_.find(event->name);
    if (evicted == evictions_by_pod_.end()) continue;
    if (!event->host.empty()) evicted_from_[event->host].insert(evicted->first);
    if (event->reason != "Scheduled") continue;
    if (const auto node = behind(event->message, " to "); !node.empty()) {
      evicted_from_[node].insert(evicted->first);
    }
  }
}

bool DaemonSetEvents::speak_of(const model::Text& node) const {
  // The maps are usually empty: avoid hashing the name of each of many nodes.
  const auto has = [&](const auto& by_node) {
    return !by_node.empty() && by_node.contains(node.view());
  };
  return has(own_by_node_) || has(complaints_) || has(preemptions_) || has(evicted_from_);
}

const Facts::Events& DaemonSetEvents::own_on(std::string_view node) const {
  return found(own_by_node_, node);
}
const Facts::Events& DaemonSetEvents::deletions_on(std::string_view node) const {
  return found(deletions_by_node_, node);
}
const Facts::Events& DaemonSetEvents::complaints_of(std::string_view node) const {
  return found(complaints_, node);
}
const Facts::Events& DaemonSetEvents::preemptions_on(std::string_view node) const {
  return found(preemptions_, node);
}

Facts::Events DaemonSetEvents::evictions_on(std::string_view node,
                                            const std::vector<const model::Pod*>& pods) const {
  Events result;
  if (evictions_by_pod_.empty()) return result;
  std::set<std::string_view> names;
  if (const auto gone = evicted_from_.find(node); gone != evicted_from_.end()) names = gone->second;
  for (const model::Pod* pod : pods) names.insert(pod->meta.name);
  for (const std::string_view name : names) {
    const Events& of_pod = found(evictions_by_pod_, name);
    result.insert(result.end(), of_pod.begin(), of_pod.end());
  }
  sort_by_time(result);
  return result;
}

std::string_view deleted_pod(const model::Event& event) {
  constexpr std::string_view words = "Deleted pod: ";
  if (event.reason != "SuccessfulDelete" || !event.message.view().starts_with(words)) return {};
  return event.message.view().substr(words.size());
}

std::string_view assigned_node(const model::Event& event) {
  const std::string_view text = event.message;
  const std::size_t at = text.rfind(" to ");
  return event.reason == "Scheduled" && at != text.npos ? text.substr(at + 4) : std::string_view();
}

}  // namespace dsdoctor::diagnosis
