// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/catalogue/object_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t longest_value = 1024;  // the API server's limit for an event's message

/// Index of the first entry for which `is_meant` is true; the number of entries if there is none.
template <typename List, typename Predicate>
std::size_t index_where(const List& list, const Predicate& is_meant) {
  std::size_t index = 0;
  for (const auto& entry : list) {
    if (is_meant(entry)) break;
    ++index;
  }
  return index;
}

}  // namespace

std::string evidence_value(std::string_view text) {
  std::string result = base::without_middle(base::trimmed(text), longest_value);
  std::ranges::replace_if(
      result, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return result;
}

ObjectRef ref_of(const model::Node& node) { return {"Node", "", node.meta.name.str()}; }

ObjectRef ref_of(const model::Pod& pod) { return {"Pod", pod.meta.ns.str(), pod.meta.name.str()}; }

ObjectRef ref_of(const model::DaemonSet& ds) {
  return {"DaemonSet", ds.meta.ns.str(), ds.meta.name.str()};
}

ObjectRef ref_of(const model::Event& event) {
  if (event.meta.name.empty()) return {event.kind.str(), event.ns.str(), event.name.str()};
  return {"Event", event.meta.ns.str(), event.meta.name.str()};
}

Evidence event_evidence(const model::Event& event) {
  if (event.message.empty()) return {ref_of(event), "reason", evidence_value(event.reason)};
  return {ref_of(event), "message", evidence_value(event.message)};
}

Evidence taint_evidence(const model::Node& node, const model::Taint& taint) {
  const std::string value =
      fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=", taint.value.view(),
                  taint.effect.view());
  return {ref_of(node), fmt::format("spec.taints[{}]", &taint - node.taints.data()), value};
}

Evidence condition_evidence(const model::Node& node, const model::Condition& condition) {
  const std::size_t index =
      index_where(node.conditions, [&](const auto& one) { return one.type == condition.type; });
  std::string value = condition.status.str();
  if (!condition.reason.empty()) value += " " + condition.reason.str();
  return {ref_of(node), fmt::format("status.conditions[{}].status", index), value};
}

Evidence condition_evidence(const model::Pod& pod, std::string_view type, std::string_view field,
                            std::string_view value) {
  const std::size_t index =
      index_where(pod.conditions, [&](const auto& one) { return one.type == type; });
  return {ref_of(pod), fmt::format("status.conditions[{}].{}", index, field),
          evidence_value(value)};
}

std::string status_path(const model::Pod& pod, const model::ContainerStatus& status) {
  const auto is_meant = [&](const auto& one) { return one.name == status.name; };
  const std::size_t index = index_where(pod.statuses, is_meant);
  if (index < pod.statuses.size()) return fmt::format("status.containerStatuses[{}]", index);
  return fmt::format("status.initContainerStatuses[{}]", index_where(pod.init_statuses, is_meant));
}

Evidence status_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                         std::string_view field, std::string_view value) {
  return {ref_of(pod), fmt::format("{}.{}", status_path(pod, status), field),
          evidence_value(value)};
}

Evidence waiting_evidence(const model::Pod& pod, const model::ContainerStatus& status) {
  const auto& waiting = *status.waiting;
  if (waiting.message.empty()) {
    return status_evidence(pod, status, "state.waiting.reason", waiting.reason);
  }
  return status_evidence(pod, status, "state.waiting.message", waiting.message);
}

}  // namespace dsdoctor::diagnosis
