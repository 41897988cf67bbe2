// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/idle.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/lost_nodes.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

// The template's author is probably still working on it.
constexpr auto fresh_when_new = 1h;
constexpr auto fresh_when_changed = 24h;

/// A label requirement that a node does not meet.
struct LabelClause {
  std::string_view key;
  std::string_view want;  // empty: any of several values
};

std::optional<LabelClause> label_clause(const placement::Reason& reason) {
  if (const auto* r = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return LabelClause{r->key, r->want};
  }
  const auto* r = std::get_if<placement::AffinityTermMismatch>(&reason);
  if (r == nullptr || r->in_fields || r->fault) return std::nullopt;
  const auto& values = r->requirement->values;
  const bool one = r->requirement->op == "In" && values.size() == 1;
  return LabelClause{r->requirement->key, one ? values.front().view() : std::string_view()};
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](auto word) { return text.find(word) != std::string_view::npos; });
}

/// Whether the label is one that nobody gives to nodes, so that the DaemonSet has no pods.
bool keeps_at_zero(const LabelClause& clause) {
  return has_any(base::lower_case(clause.key),
                 {"non-exist", "nonexist", "disabled", "scale-to-zero"}) ||
         has_any(base::lower_case(clause.want), {"non-exist", "nonexist", "disabled"});
}

/// Whether the label names a pool or a property of a machine: such nodes come and go.
bool comes_and_goes(const LabelClause& clause) {
  const std::string key = base::lower_case(clause.key);
  const std::string want = base::lower_case(clause.want);
  if (key.starts_with("kubernetes.io/") || key.starts_with("node.kubernetes.io/") ||
      key.starts_with("topology.kubernetes.io/") ||
      key.starts_with("feature.node.kubernetes.io/")) {
    return true;
  }
  return has_any(key, {"pool", "nodegroup", "node-group", "gpu", "accelerator", "nvidia.com/",
                       "spot", "preemptible", "interruptible", "lifecycle", "capacity-type",
                       "capacitytype", "scalesetpriority"}) ||
         has_any(want, {"spot", "preemptible"}) || keeps_at_zero(clause);
}

/// Whether a label excludes every node with this state.
bool is_left_out_by_label(const NodeState& state) {
  return std::ranges::any_of(state.reasons, [](const placement::Reason& reason) {
    return label_clause(reason).has_value();
  });
}

/// Whether each of these nodes lacks a label that names a pool or a machine.
bool lacks_passing_label(const NodeState& state) {
  return std::ranges::any_of(state.reasons, [](const placement::Reason& reason) {
    const auto clause = label_clause(reason);
    return clause && comes_and_goes(*clause);
  });
}

/// The node that the events of a pod name, which may be deleted; empty if no event names one.
std::string_view node_of_pod(const Facts& facts, std::string_view ns, std::string_view pod) {
  for (const model::Event* event : facts.events_of_pods(ns, pod)) {
    if (event->name.view() != pod) continue;
    if (!event->host.empty()) return event->host;
    if (const std::string_view node = assigned_node(*event); !node.empty()) return node;
  }
  return {};
}

/// Whether the controller created or deleted a pod, as far as events were read, on a node that is
/// still there. Nodes of a pool that is scaled to zero take their pods with them.
bool has_worked(const DaemonSetCase& of, bool pool_may_be_empty) {
  return std::ranges::any_of(of.events.own(), [&](const model::Event* event) {
    const bool created = event->reason == "SuccessfulCreate";
    if (!is_by_controller(*event) || (!created && event->reason != "SuccessfulDelete"))
      return false;
    const std::string_view message = event->message;
    const std::string_view pod = message.substr(message.rfind(' ') + 1);
    const std::string_view node = node_of_pod(of.facts, of.ds.meta.ns, pod);
    if (node.empty()) return !created || !pool_may_be_empty;
    return model::find_node(of.facts.cluster(), model::Text(node)) != nullptr;
  });
}

bool is_fresh(const DaemonSetCase& of) {
  const auto& meta = of.ds.meta;
  const auto writer = spec_writer(meta);
  const bool changed = of.ds.generation > 1;
  const auto since = changed && writer ? writer->not_later_than : meta.created;
  return since && of.facts.now() - *since < (changed ? fresh_when_changed : fresh_when_new);
}

}  // namespace

bool is_kept_at_zero(const model::DaemonSet& ds) {
  return std::ranges::any_of(ds.pod_template.node_selector, [](const auto& label) {
    return keeps_at_zero({label.first, label.second});
  });
}

Idleness idleness_of(const DaemonSetCase& of, const std::optional<MeantLabel>& meant) {
  const DaemonSetReport& report = of.report;
  const bool agreed = of.ds.generation > 0 && of.ds.observed_generation == of.ds.generation &&
                      report.reported.desired_number_scheduled == 0;
  if (!agreed || report.nodes_with_pods > 0) return Idleness::Unexpected;
  const LostNodes lost = lost_by_template(of);
  if (lost.revision != nullptr && !is_kept_at_zero(of.ds) &&
      is_younger(lost.revision->meta.created, fresh_when_changed, of.facts.now())) {
    return Idleness::Unexpected;
  }
  bool goes = true;  // on each node, a label of a pool or machine does not match
  for (const NodeReports::Use& use : report.nodes.states()) {
    if (use.nodes == 0) continue;
    if (!is_left_out_by_label(*use.state)) return Idleness::Unexpected;
    goes = goes && lacks_passing_label(*use.state);
  }
  const bool is_typo = meant && meant->resemblance == Resemblance::Typo;
  if ((meant && !is_typo) || has_worked(of, goes)) return Idleness::Unexpected;
  if (is_typo) return is_fresh(of) ? Idleness::Misspelled : Idleness::Intended;
  return goes || !is_fresh(of) ? Idleness::Intended : Idleness::Unexpected;
}

}  // namespace dsdoctor::diagnosis
