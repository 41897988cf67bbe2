// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/pod_signs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t searched = 4096;

// Budgets are limited to two weeks, so that products of two of them do not overflow.
constexpr std::int64_t longest = 1'209'600;

std::int64_t or_default(std::int64_t value, std::int64_t standard) {
  return value <= 0 ? standard : std::min(value, longest);
}

constexpr std::int64_t standard_period = 10;

std::int64_t startup_seconds(const model::Probe& probe) {
  return or_default(probe.initial_delay, 0) +
         or_default(probe.period, standard_period) * or_default(probe.failure_threshold, 3);
}

std::int64_t readiness_seconds(const model::Probe& probe) {
  return or_default(probe.initial_delay, 0) +
         or_default(probe.period, standard_period) * or_default(probe.success_threshold, 1);
}

}  // namespace

std::string excerpt(std::string_view text) {
  text = base::trimmed(text);
  if (text.ends_with('.') && !text.ends_with("..")) text.remove_suffix(1);
  return wording::cut(text);
}

std::string error_excerpt(std::string_view text) {
  return excerpt(wording::unwrapped(base::trimmed(text)));
}

bool is_one_of(std::string_view word, TextList words) {
  return std::ranges::find(words, word) != words.end();
}

std::size_t place_of(std::string_view text, std::string_view word) {
  text = text.substr(0, searched);
  const auto same = [](char a, char b) { return base::to_lower(a) == base::to_lower(b); };
  const auto at = std::search(text.begin(), text.end(), word.begin(), word.end(), same);
  return at == text.end() && !word.empty() ? std::string_view::npos
                                           : static_cast<std::size_t>(at - text.begin());
}

bool mentions(std::string_view text, std::string_view word) {
  return place_of(text, word) != std::string_view::npos;
}

bool mentions_any(std::string_view text, TextList words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return mentions(text, word); });
}

bool is_of_program_format(std::string_view text) {
  constexpr std::string_view words = "exec format error";  // libc writes "Exec"
  text = text.substr(0, searched);
  const std::size_t at = text.find(words);
  return at != text.npos && text.substr(0, at).find("exec") != text.npos;
}

bool is_older(const model::OptionalTime& moment, std::chrono::seconds age, model::Time now) {
  return moment && now - *moment >= age;
}

bool is_younger(const model::OptionalTime& moment, std::chrono::seconds age, model::Time now) {
  return moment && now - *moment < age;
}

std::string_view waiting_reason(const model::ContainerStatus& status) {
  return status.waiting ? status.waiting->reason.view() : std::string_view();
}

const model::TerminatedState* last_end(const model::ContainerStatus& status) {
  if (status.terminated) return &*status.terminated;
  return status.last_terminated ? &*status.last_terminated : nullptr;
}

Facts::Events events_of(const Facts& facts, const model::Pod& pod) {
  return facts.events_of("Pod", pod.meta.ns, pod.meta.name, pod.meta.uid);
}

model::Time last_seen(const model::Event& event) {
  if (event.last) return *event.last;
  if (event.first) return *event.first;
  return event.meta.created.value_or(model::Time{});
}

std::int64_t times(const model::Event& event) {
  constexpr std::int64_t most = 1'000'000'000;
  return std::clamp<std::int64_t>(event.count, 1, most);
}

const model::Event* newest(const Facts::Events& events, TextList reasons) {
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (is_one_of(event->reason, reasons) &&
        (result == nullptr || last_seen(*event) >= last_seen(*result)))
      result = event;
  }
  return result;
}

const model::Event* unresolved(const Facts::Events& events, TextList reasons, TextList progress) {
  const model::Event* trouble = newest(events, reasons);
  if (trouble == nullptr) return nullptr;
  const model::Event* further = newest(events, progress);
  return further != nullptr && last_seen(*further) > last_seen(*trouble) ? nullptr : trouble;
}

bool is_of_container(const model::Event& event, const model::Pod& pod, std::string_view container) {
  const std::string_view path = event.field_path;
  const std::size_t open = path.find('{');
  if (open == std::string_view::npos) {
    return pod.spec->containers.size() + pod.spec->init_containers.size() == 1;
  }
  return path.ends_with('}') && path.substr(open + 1, path.size() - open - 2) == container;
}

const model::Event* newest_unhealthy(const Facts::Events& events, const model::Pod& pod,
                                     std::string_view container, std::string_view kind,
                                     const model::OptionalTime& since) {
  constexpr std::string_view combined = "(combined from similar events): ";
  constexpr std::size_t beginning = 40;  // contains the name of the probe, before its output
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (event->reason != "Unhealthy" || !is_of_container(*event, pod, container)) continue;
    std::string_view text = event->message;
    if (text.starts_with(combined)) text.remove_prefix(combined.size());
    if (!mentions(text.substr(0, beginning), kind)) continue;
    if (!since || last_seen(*event) >= *since) result = event;
  }
  return result;
}

const model::Container* find_container(const model::PodSpec& spec, std::string_view name) {
  const auto in = [&](const std::vector<model::Container>& containers) -> const model::Container* {
    const auto at =
        std::ranges::find(containers, name, [](const auto& c) { return c.name.view(); });
    return at == containers.end() ? nullptr : &*at;
  };
  const model::Container* found = in(spec.containers);
  return found != nullptr ? found : in(spec.init_containers);
}

const model::Container* find_container(const model::Pod& pod, std::string_view name) {
  return find_container(*pod.spec, name);
}

std::string_view memory_limit(const model::PodSpec& spec, std::string_view container) {
  const model::Container* found = find_container(spec, container);
  const model::Text* limit = found == nullptr ? nullptr : found->limits.find("memory");
  if (limit == nullptr && spec.limits) limit = spec.limits->find("memory");
  return limit == nullptr ? std::string_view() : limit->view();
}

std::string_view memory_limit(const model::Pod& pod, std::string_view container) {
  return memory_limit(*pod.spec, container);
}

bool is_running(const model::ContainerStatus& status) {
  return status.running || (!status.waiting && !status.terminated);
}

bool is_failed_start(const model::TerminatedState& end) {
  return is_one_of(end.reason, {"StartError", "ContainerCannotRun"});
}

model::OptionalTime to_be_started_since(const model::Pod& pod,
                                        const model::ContainerStatus& status) {
  model::OptionalTime result = pod.start_time;
  const auto not_before = [&](const model::OptionalTime& moment) {
    if (moment && (!result || *moment > *result)) result = moment;
  };
  // After a restart of the node the kubelet sometimes does not know when the last run ended.
  const auto add = [&](const char* type) {
    const auto condition = model::find_condition(pod.conditions, type);
    if (condition != nullptr && condition->status == "False") {
      not_before(condition->last_transition);
    }
  };
  add("ContainersReady");
  // Before the first run this condition changes with every sandbox that fails.
  if (status.last_terminated || status.restart_count > 0) add("PodReadyToStartContainers");
  const auto& end = status.last_terminated;
  if (end && !is_failed_start(*end)) not_before(end->finished);
  return result;
}

bool is_outdated(const NodeCase& c, const model::Pod& pod) {
  return std::ranges::any_of(c.report.pods(), [&](const PodReport& report) {
    return report.outdated && report.name == pod.meta.name;
  });
}

bool is_ready(const model::Node& node) {
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  return ready != nullptr && ready->status == "True";
}

bool is_known_not_ready(const model::Node& node) {
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  return ready != nullptr && ready->status != "True";
}

namespace {

/// Whether the node controller marked the pod as not ready, by the pod alone: its kubelet wrote
/// last that it is ready, or an event reports the mark. `ready`: the condition, which is False.
bool is_marked_by_unread_node(const model::Pod& pod, const model::Condition& ready,
                              const Facts::Events& events) {
  if (is_ready_by_conditions(pod)) return true;
  const auto containers = model::find_condition(pod.conditions, "ContainersReady");
  if (containers != nullptr && containers->status == "False") return false;
  const model::Event* event = newest(events, {"NodeNotReady"});
  return event != nullptr && (!ready.last_transition || last_seen(*event) >= ready.last_transition);
}

}  // namespace

bool is_ready_by_conditions(const model::Pod& pod) {
  const auto is_true = [&](std::string_view type) {
    const auto condition = model::find_condition(pod.conditions, type);
    return condition != nullptr && condition->status == "True";
  };
  return is_true("ContainersReady") && std::ranges::all_of(pod.spec->readiness_gates, is_true);
}

bool is_marked_by_node(const NodeCase& c, const model::Pod& pod, const Facts::Events& events) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (ready == nullptr || ready->status != "False") return false;
  if (!std::ranges::all_of(pod.statuses, is_running)) return false;
  if (!c.report.node_known()) return is_marked_by_unread_node(pod, *ready, events);
  if (!is_known_not_ready(c.node)) return false;
  if (newest(events, {"NodeNotReady"}) != nullptr) return true;
  return !pod.statuses.empty() && std::ranges::all_of(pod.statuses, &model::ContainerStatus::ready);
}

bool is_new(const model::Node& node, model::Time now) {
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  return is_younger(node.meta.created, threshold::new_node, now) ||
         (is_ready(node) && is_younger(ready->last_transition, threshold::new_node, now));
}

std::int64_t probe_budget(const model::Container& container) {
  std::int64_t result = 0;
  if (container.startup_probe) result += startup_seconds(*container.startup_probe);
  if (container.readiness_probe) result += readiness_seconds(*container.readiness_probe);
  return result;
}

}  // namespace dsdoctor::diagnosis
