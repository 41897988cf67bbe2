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

/// The first labels of a node replace none.
bool is_of_new_node(const model::Node& node, model::Time written) {
  return node.meta.created && written - *node.meta.created < threshold::new_node;
}

/// Whether the template was written lately, which is a reason to delete pods on any node.
bool may_be_of_rollout(const model::DaemonSet& ds, model::Time deleted) {
  const auto writer = spec_writer(ds.meta);
  return writer && writer->not_later_than && *writer->not_later_than <= deleted &&
         deleted - *writer->not_later_than < threshold::rollout;
}

/// The pod in "Deleted pod: agent-x7x2k"; empty for other events.
std::string_view deleted_pod(const model::Event& event) {
  constexpr std::string_view words = "Deleted pod: ";
  if (event.reason != "SuccessfulDelete" || !event.message.view().starts_with(words)) return {};
  return event.message.view().substr(words.size());
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

/// The node of a pod by its events; empty if none names one.
std::string_view node_by_events(const Facts& facts, std::string_view ns, std::string_view pod) {
  for (const model::Event* event : facts.events_of("Pod", ns, pod, {})) {
    if (!event->host.empty()) return event->host;
    if (const std::string_view node = assigned_node(*event); !node.empty()) return node;
  }
  return {};
}

/// The deletion that the writer of the node's labels led to.
std::optional<LabelLoss> loss_after(const model::FieldManager& entry, const model::Node& node,
                                    const model::DaemonSet& ds,
                                    std::span<const model::Event* const> deletions,
                                    const Facts& facts) {
  std::optional<LabelLoss> likely;
  for (const model::Event* event : deletions) {
    const std::string_view pod = deleted_pod(*event);
    if (pod.empty()) continue;
    const std::string_view place = node_by_events(facts, ds.meta.ns, pod);
    if (place == node.meta.name) return LabelLoss{&entry, event, pod, true};
    if (!place.empty() || is_of_new_node(node, *entry.time)) continue;
    if (may_be_of_rollout(ds, last_seen(*event))) continue;
    likely = LabelLoss{&entry, event, likely ? std::string_view() : pod, false};
  }
  return likely;
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
                                    const Facts::Events& deletions, const Facts& facts) {
  std::optional<LabelLoss> best;
  if (deletions.empty()) return best;
  for (const model::FieldManager& entry : node.meta.managers) {
    if (entry.labels.empty() || !entry.subresource.empty() || !entry.time) continue;
    const auto loss = loss_after(entry, node, ds, deletions_after(deletions, *entry.time), facts);
    if (!loss) continue;
    const bool is_better = !best || std::pair(loss->is_certain, *entry.time) >
                                        std::pair(best->is_certain, *best->writer->time);
    if (is_better) best = loss;
  }
  return best;
}

}  // namespace dsdoctor::diagnosis
