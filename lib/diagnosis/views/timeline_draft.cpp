// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/timeline_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto same_moment = 5s;              // maximum between an event and its status
constexpr auto clock_slack = 30s;             // a kubelet uses its own clock
constexpr auto separate_last = 60s;           // minimum for an entry of an event's last time
constexpr std::size_t longest_message = 300;  // bytes

TimelineDraft draft(TimelineRank rank, model::Time time, std::string object, std::string field,
                    std::string text, std::string meaning = {}) {
  return {
      {time, std::move(object), std::move(field), std::move(text)}, rank, std::move(meaning), time};
}

std::string in_brackets(std::string_view text) {
  return text.empty() ? std::string()
                      : fmt::format(" ({})", base::without_middle(text, longest_message));
}

std::string node_object(const model::Node& node) {
  return fmt::format("Node/{}", node.meta.name.view());
}

/// Conditions that changed at the same time become one entry.
void add_node_conditions(TimelineDrafts& drafts, const model::Node& node) {
  std::vector<const model::Condition*> order;
  for (const model::Condition& condition : node.conditions) {
    if (condition.last_transition) order.push_back(&condition);
  }
  std::ranges::stable_sort(order, {}, [](const auto* c) {
    return std::tuple(c->type != "Ready", c->status.view(), *c->last_transition);
  });
  for (std::size_t i = 0; i < order.size();) {
    const model::Condition& first = *order[i];
    std::string types = first.type.str();
    std::size_t next = i + 1;
    while (first.type != "Ready" && next < order.size() && order[next]->status == first.status &&
           *order[next]->last_transition - *first.last_transition <= same_moment) {
      types += fmt::format(", {}", order[next++]->type.view());
    }
    const bool alone = next == i + 1;
    // A node with status Unknown has a NodeNotReady event, too.
    const std::string_view meant =
        first.type == "Ready" && first.status != "True" ? "False" : first.status.view();
    drafts.push_back(
        draft(TimelineRank::Node, *first.last_transition, node_object(node),
              fmt::format("status.conditions[{}].lastTransitionTime", first.type.view()),
              fmt::format("{} became {}{}", types, first.status.view(),
                          alone ? in_brackets(first.reason) : std::string()),
              fmt::format("{} {}", first.type.view(), meant)));
    i = next;
  }
}

void add_taints(TimelineDrafts& drafts, const model::Node& node) {
  for (std::size_t i = 0; i < node.taints.size(); ++i) {
    const model::Taint& taint = node.taints[i];
    const std::string shown =
        fmt::format("taint {}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                    taint.value.view(), taint.effect.view());
    if (taint.time_added) {
      drafts.push_back(draft(TimelineRank::Change, *taint.time_added, node_object(node),
                             fmt::format("spec.taints[{}].timeAdded", i), shown + " was added"));
    } else if (const auto value = timestamp_value(taint.value)) {
      drafts.push_back(draft(TimelineRank::Change, *value, node_object(node),
                             fmt::format("spec.taints[{}].value", i),
                             shown + " was added, according to its value"));
    }
  }
}

/// "a, b and 12 more"
std::string some_labels(const std::vector<model::Text>& labels,
                        const std::vector<std::string_view>& wanted) {
  constexpr std::size_t shown = 3;
  std::vector<std::string_view> keys(labels.begin(), labels.end());
  std::ranges::stable_sort(keys, {}, [&](std::string_view key) {
    return std::ranges::find(wanted, key) == wanted.end();
  });
  return base::listed(
      keys.size(), [&](std::size_t i) { return base::without_middle(keys[i], longest_message); },
      shown);
}

void add_node_managers(TimelineDrafts& drafts, const model::Node& node,
                       const std::vector<std::string_view>& wanted_labels) {
  for (const model::FieldManager& entry : node.meta.managers) {
    if (entry.subresource == "status" || !entry.time) continue;
    std::vector<std::string> what;
    if (entry.taints) what.emplace_back("the taints");
    // The field's owner is still recorded after an uncordon.
    if (entry.unschedulable && node.unschedulable) what.emplace_back("the cordon");
    if (!entry.labels.empty()) what.push_back("labels " + some_labels(entry.labels, wanted_labels));
    if (what.empty()) continue;
    drafts.push_back(
        draft(TimelineRank::Change, *entry.time, node_object(node), "metadata.managedFields",
              fmt::format("{} last wrote {}", manager_name(entry.manager), fmt::join(what, ", "))));
    drafts.back().entry.upper_bound = true;
  }
}

void add_deletion(TimelineDrafts& drafts, const model::ObjectMeta& meta, TimelineRank rank,
                  const std::string& object) {
  if (!meta.deleted) return;
  const std::int64_t grace = std::clamp<std::int64_t>(meta.grace_seconds.value_or(0), 0, 1 << 30);
  drafts.push_back(draft(rank, *meta.deleted - std::chrono::seconds(grace), object,
                         "metadata.deletionTimestamp",
                         grace == 0 ? std::string("was deleted")
                                    : fmt::format("was deleted with a grace period of {}s", grace),
                         fmt::format("deletion {}", meta.name.view())));
}

std::string exit_clause(const model::TerminatedState& state) {
  std::string result = state.signal != 0 ? fmt::format("terminated by signal {}", state.signal)
                                         : fmt::format("exited with {}", state.exit_code);
  return result + in_brackets(state.reason);
}

void add_run(TimelineDrafts& drafts, const std::string& object, std::string_view container,
             const model::TerminatedState& state, std::string_view where) {
  const auto field = [&](std::string_view name) {
    return fmt::format("status.containerStatuses[{}].{}.terminated.{}", container, where, name);
  };
  if (state.started) {
    drafts.push_back(draft(TimelineRank::Pod, *state.started, object, field("startedAt"),
                           fmt::format("container {} started", container),
                           fmt::format("started {} {}", object, container)));
  }
  if (state.finished) {
    drafts.push_back(draft(TimelineRank::Pod, *state.finished, object, field("finishedAt"),
                           fmt::format("container {} {}", container, exit_clause(state))));
  }
}

void add_containers(TimelineDrafts& drafts, const std::string& object,
                    const model::ContainerStatuses& statuses) {
  for (const model::ContainerStatus& status : statuses) {
    if (status.last_terminated) {
      add_run(drafts, object, status.name, *status.last_terminated, "lastState");
    }
    if (status.terminated) add_run(drafts, object, status.name, *status.terminated, "state");
    if (status.running_since) {
      drafts.push_back(draft(
          TimelineRank::Pod, *status.running_since, object,
          fmt::format("status.containerStatuses[{}].state.running.startedAt", status.name.view()),
          fmt::format("container {} started", status.name.view()),
          fmt::format("started {} {}", object, status.name.view())));
    }
  }
}

/// Moves effects to the time of their cause, if they are shortly before it because of the node's
/// clock. `drafts` from `begin` on are in the order of cause and effect.
void align_clocks(TimelineDrafts& drafts, std::size_t begin) {
  model::OptionalTime cause;
  for (std::size_t i = begin; i < drafts.size(); ++i) {
    TimelineDraft& effect = drafts[i];
    if (cause && effect.order < *cause && *cause - effect.order < clock_slack) {
      effect.order = *cause;
      effect.entry.text += ", at the same time by another clock";
    }
    cause = std::max(cause.value_or(effect.order), effect.order);
  }
}

std::string event_object(const model::Event& event) {
  return fmt::format("{}/{}", event.kind.view(), event.name.view());
}

/// The name after the last blank, slash or colon: "Created pod: agent-x", "Started container main".
std::string_view last_word(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.remove_suffix(1);
  const std::size_t at = text.find_last_of(" /:");
  return at == text.npos ? text : text.substr(at + 1);
}

struct NodeEventMeaning {
  std::string_view reason;
  std::string_view meaning;
};
constexpr std::array node_event_meanings = {
    NodeEventMeaning{"NodeReady", "Ready True"},
    NodeEventMeaning{"NodeNotReady", "Ready False"},
    NodeEventMeaning{"NodeHasDiskPressure", "DiskPressure True"},
    NodeEventMeaning{"NodeHasNoDiskPressure", "DiskPressure False"},
    NodeEventMeaning{"NodeHasInsufficientMemory", "MemoryPressure True"},
    NodeEventMeaning{"NodeHasSufficientMemory", "MemoryPressure False"},
    NodeEventMeaning{"NodeHasInsufficientPID", "PIDPressure True"},
    NodeEventMeaning{"NodeHasSufficientPID", "PIDPressure False"},
};

/// The meaning of the status entry that shows the same fact; empty for most events.
std::string meaning_of(const model::Event& event) {
  if (event.kind == "Node") {
    const auto at =
        std::ranges::find(node_event_meanings, event.reason.view(), &NodeEventMeaning::reason);
    return at == node_event_meanings.end() ? std::string() : std::string(at->meaning);
  }
  if (event.kind == "DaemonSet") {
    if (event.reason == "SuccessfulCreate") {
      return fmt::format("created {}", last_word(event.message));
    }
    if (event.reason == "SuccessfulDelete") {
      return fmt::format("deletion {}", last_word(event.message));
    }
    return "";
  }
  if (event.kind != "Pod") return "";
  if (event.reason == "Scheduled") return fmt::format("scheduled {}", event.name.view());
  if (event.reason == "FailedScheduling") return fmt::format("refused {}", event.name.view());
  if (event.reason == "Killing") return fmt::format("deletion {}", event.name.view());
  if (event.reason == "Started") {
    // Since 1.34 the message does not name the container, and the event stays a separate entry.
    return fmt::format("started {} {}", event_object(event), last_word(event.message));
  }
  return "";
}

}  // namespace

void add_node(TimelineDrafts& drafts, const model::Node& node,
              const std::vector<std::string_view>& wanted_labels) {
  if (node.meta.created) {
    drafts.push_back(draft(TimelineRank::Change, *node.meta.created, node_object(node),
                           "metadata.creationTimestamp", "was created"));
  }
  add_node_managers(drafts, node, wanted_labels);
  add_taints(drafts, node);
  add_node_conditions(drafts, node);
  add_deletion(drafts, node.meta, TimelineRank::Change, node_object(node));
}

void add_pod(TimelineDrafts& drafts, const model::Pod& pod) {
  const std::string object = fmt::format("Pod/{}", pod.meta.name.view());
  const std::string_view name = pod.meta.name;
  const std::size_t begin = drafts.size();
  if (pod.meta.created) {
    drafts.push_back(draft(TimelineRank::Change, *pod.meta.created, object,
                           "metadata.creationTimestamp", "was created",
                           fmt::format("created {}", name)));
  }
  const auto condition = [&](std::string_view type, std::string_view status, std::string text,
                             std::string meaning = {}) {
    const auto found = model::find_condition(pod.conditions, type);
    if (found == nullptr || found->status != status || !found->last_transition) return;
    drafts.push_back(draft(TimelineRank::Pod, *found->last_transition, object,
                           fmt::format("status.conditions[{}].lastTransitionTime", type),
                           std::move(text) + in_brackets(found->reason), std::move(meaning)));
  };
  condition(
      "PodScheduled", "True",
      pod.node_name.empty() ? "was bound" : fmt::format("was bound to {}", pod.node_name.view()),
      fmt::format("scheduled {}", name));
  condition("PodScheduled", "False", "was rejected by the scheduler for the first time",
            fmt::format("refused {}", name));
  if (pod.start_time) {
    drafts.push_back(draft(TimelineRank::Pod, *pod.start_time, object, "status.startTime",
                           "was accepted by the kubelet"));
  }
  align_clocks(drafts, begin);
  add_containers(drafts, object, pod.init_statuses);
  add_containers(drafts, object, pod.statuses);
  condition("Ready", "True", "became ready");
  condition("Ready", "False", "became not ready");
  condition("DisruptionTarget", "True", "became DisruptionTarget");
  add_deletion(drafts, pod.meta, TimelineRank::Change, object);
}

void add_event(TimelineDrafts& drafts, const model::Event& event) {
  const auto last = event.last ? event.last : event.first;
  const auto first = event.first ? event.first : event.last;
  if (!first) return;  // an entry needs a time
  const std::string said = event.message.empty()
                               ? event.reason.str()
                               : fmt::format("{}: {}", event.reason.view(),
                                             base::without_middle(event.message, longest_message));
  const std::string times =
      event.count > 1 ? fmt::format(" (at least {} times)", event.count) : std::string();
  const bool twice = *last - *first > separate_last;
  drafts.push_back(draft(TimelineRank::Event, *first, event_object(event), "Event.firstTimestamp",
                         said + (twice ? " (the first time)" : times), meaning_of(event)));
  if (!twice) return;
  drafts.push_back(draft(TimelineRank::Event, *last, event_object(event), "Event.lastTimestamp",
                         said + times, meaning_of(event)));
}

void add_spec_writers(TimelineDrafts& drafts, const model::ObjectMeta& meta,
                      const std::string& object) {
  for (const model::FieldManager& entry : meta.managers) {
    if (entry.subresource == "status" || !entry.spec || !entry.time) continue;
    drafts.push_back(
        draft(TimelineRank::Change, *entry.time, object, "metadata.managedFields",
              fmt::format("{} last wrote fields of its spec{}", manager_name(entry.manager),
                          entry.tolerations ? ", tolerations among them" : "")));
    drafts.back().entry.upper_bound = true;
  }
  add_deletion(drafts, meta, TimelineRank::Change, object);
}

void add_label_loss(TimelineDrafts& drafts, const model::Node& node, const LabelLoss& loss,
                    std::string_view key) {
  const model::Text* value = node.meta.labels.find(key);
  const std::string label = value == nullptr
                                ? fmt::format("label {} is gone", key)
                                : fmt::format("label {}={} does not match", key, value->view());
  const model::Time deleted = last_seen(*loss.deletion);
  if (loss.writer == nullptr) {
    drafts.push_back(draft(TimelineRank::Change, deleted, node_object(node), "Event.lastTimestamp",
                           fmt::format("{}; the controller deleted pod {}", label, loss.pod)));
    drafts.back().entry.upper_bound = true;
    return;
  }
  const model::Time written = *loss.writer->time;
  const std::string later = base::span_text(deleted - written);
  drafts.push_back(
      draft(TimelineRank::Change, written, node_object(node), "metadata.managedFields",
            fmt::format("{}, labels last written by {}; the controller deleted pod {} {} later",
                        label, manager_name(loss.writer->manager), loss.pod, later)));
  drafts.back().entry.upper_bound = true;
}

std::vector<TimelineEntry> merged(TimelineDrafts drafts) {
  std::ranges::stable_sort(drafts, {},
                           [](const TimelineDraft& d) { return std::tuple(d.order, d.rank); });
  const auto said_by_status = [&](std::size_t index) {
    const TimelineDraft& event = drafts[index];
    if (event.rank != TimelineRank::Event || event.meaning.empty()) return false;
    const auto same = [&](const TimelineDraft& other) {
      return other.rank != TimelineRank::Event && other.meaning == event.meaning;
    };
    // The drafts are sorted: examine only those within the window.
    for (std::size_t i = index; i-- > 0 && event.order - drafts[i].order <= same_moment;) {
      if (same(drafts[i])) return true;
    }
    for (std::size_t i = index + 1;
         i < drafts.size() && drafts[i].order - event.order <= same_moment; ++i) {
      if (same(drafts[i])) return true;
    }
    return false;
  };
  std::vector<bool> dropped(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) dropped[i] = said_by_status(i);
  std::vector<TimelineEntry> result;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (dropped[i]) continue;
    TimelineEntry& entry = drafts[i].entry;
    if (result.empty() || !(result.back() == entry)) result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
