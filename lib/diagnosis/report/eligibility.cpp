// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/eligibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_set_events.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";

class Latest {
 public:
  void take(const model::OptionalTime& moment, bool by_node, std::string_view path) {
    if (!is_later(moment)) return;
    result_ = {moment, by_node, std::string(path)};
  }
  void take(const model::ObjectMeta& meta, const std::optional<Attribution>& writer, bool by_node) {
    if (!writer || !is_later(writer->not_later_than)) return;
    result_ = {writer->not_later_than, by_node, writer_path(meta, *writer) + ".time"};
  }
  [[nodiscard]] EligibleSince result() const { return result_; }

 private:
  [[nodiscard]] bool is_later(const model::OptionalTime& moment) const {
    return moment && (!result_.time || *moment > *result_.time);
  }

  EligibleSince result_;
};

/// The controller acts within moments; its queue can hold the DaemonSet for some seconds.
constexpr std::chrono::seconds deletion_may_take{10};

/// Whether the template was written lately, which is a reason to delete pods on any node.
bool may_be_of_rollout(const model::DaemonSet& ds, model::Time deleted) {
  if (ds.generation == 1) return false;  // the spec has never changed
  const auto writer = spec_writer(ds.meta);
  return writer && writer->not_later_than && *writer->not_later_than <= deleted &&
         deleted - *writer->not_later_than < threshold::rollout;
}

/// Whether the field manager wrote labels within the time before. The first labels of a node
/// replace none.
bool wrote_before(const model::FieldManager& entry, const model::Node& node, model::Time moment) {
  if (entry.labels.empty() || !entry.subresource.empty() || !entry.time) return false;
  if (*entry.time > moment || moment - *entry.time > deletion_may_take) return false;
  return !node.meta.created || *entry.time - *node.meta.created >= threshold::new_node;
}

/// The last writer of the node's labels shortly before; null if there is none.
const model::FieldManager* writer_before(const model::Node& node, model::Time moment) {
  const model::FieldManager* result = nullptr;
  for (const model::FieldManager& entry : node.meta.managers) {
    if (!wrote_before(entry, node, moment)) continue;
    if (result == nullptr || *entry.time >= *result->time) result = &entry;
  }
  return result;
}

/// The deletions that the change of a label at `written` can have led to, 200 at most.
std::span<const model::Event* const> deletions_after(const Facts::Events& deletions,
                                                     model::Time written) {
  constexpr std::ptrdiff_t most = 200;
  const auto time = [](const model::Event* event) { return event->last.value_or(model::Time{}); };
  const auto begin = std::ranges::lower_bound(deletions, written, {}, time);
  const auto end =
      std::ranges::upper_bound(begin, deletions.end(), written + deletion_may_take, {}, time);
  return {begin, begin + std::min(end - begin, most)};
}

/// A deletion of a pod that can have been on the node, right after its labels were written.
std::optional<LabelLoss> likely_loss(const model::Node& node, const model::DaemonSet& ds,
                                     const Facts::Events& deletions) {
  std::optional<LabelLoss> result;
  for (const model::FieldManager& entry : node.meta.managers) {
    if (!entry.time) continue;
    for (const model::Event* event : deletions_after(deletions, *entry.time)) {
      const model::Time moment = last_seen(*event);
      if (!wrote_before(entry, node, moment) || may_be_of_rollout(ds, moment)) continue;
      const std::string_view pod = result ? std::string_view() : deleted_pod(*event);
      result = LabelLoss{event, pod, false, &entry};
    }
  }
  return result;
}

}  // namespace

EligibleSince eligible_since(const NodeCase& of) {
  Latest latest;
  const model::Node& node = of.node;
  const model::ObjectMeta& ds = of.of.ds.meta;
  const model::PodTemplate& pod = of.of.ds.pod_template;
  latest.take(node.meta.created, true, created);
  for (std::size_t i = 0; i < node.conditions.size(); ++i) {
    if (node.conditions[i].type != "Ready") continue;
    const std::string path = fmt::format("status.conditions[{}].lastTransitionTime", i);
    latest.take(node.conditions[i].last_transition, true, path);
    break;
  }
  for (const auto& [key, value] : pod.node_selector) {
    latest.take(node.meta, label_writer(node.meta, key), true);
  }
  if (pod.node_affinity) {
    for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
      for (const auto& required : term.match_expressions) {
        latest.take(node.meta, label_writer(node.meta, required.key), true);
      }
    }
  }
  latest.take(ds.created, false, created);
  for (std::size_t i = 0; i < ds.managers.size(); ++i) {
    const std::string path = fmt::format("metadata.managedFields[{}].time", i);
    if (ds.managers[i].spec) latest.take(ds.managers[i].time, false, path);
  }
  return latest.result();
}

const model::Text* label_of_reason(const placement::Reason& reason) {
  if (const auto* r = std::get_if<placement::NodeSelectorMismatch>(&reason)) return &r->key;
  const auto* r = std::get_if<placement::AffinityTermMismatch>(&reason);
  return r != nullptr && !r->in_fields && !r->fault ? &r->requirement->key : nullptr;
}

std::optional<LabelLoss> label_loss(const model::Node& node, const model::DaemonSet& ds,
                                    const DaemonSetEvents& events) {
  const Facts::Events& here = events.deletions_on(node.meta.name);
  if (!here.empty()) {
    const model::Time moment = last_seen(*here.back());
    if (may_be_of_rollout(ds, moment)) return std::nullopt;
    return LabelLoss{here.back(), deleted_pod(*here.back()), true, writer_before(node, moment)};
  }
  if (events.deletions_anywhere().empty()) return std::nullopt;
  return likely_loss(node, ds, events.deletions_anywhere());
}

}  // namespace dsdoctor::diagnosis
