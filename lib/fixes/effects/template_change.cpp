// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/template_change.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "fixes/effects/settled.h"
#include "placement/tolerates.h"

namespace dsdoctor::fixes {
namespace {

/// The current state.
struct Present {
  const model::DaemonSet& ds;
  const diagnosis::DaemonSetReport& report;
  const diagnosis::Reporter& reporter;
};

/// Predicts each node. `changed`: the nodes that change, by name.
Effect evaluate(const Present& present, const placement::Evaluator& evaluator,
                const std::vector<model::Node>& changed, bool new_template) {
  const auto& [ds, report, reporter] = present;
  const model::Cluster& cluster = reporter.cluster();
  diagnosis::NodeDecisions decisions(evaluator, reporter.classes_for(evaluator));
  Effect result;
  std::vector<Place> places;
  places.reserve(report.nodes.size());
  std::set<std::string_view> gone_anyway;
  auto next = changed.begin();
  for_each_node(report, cluster, [&](const diagnosis::NodeReport& before, const model::Node& node) {
    while (next != changed.end() && next->meta.name.view() < node.meta.name.view()) ++next;
    const bool changes = next != changed.end() && next->meta.name == node.meta.name;
    const model::Node& then = changes ? *next : node;
    const auto index = static_cast<std::size_t>(&node - cluster.nodes.data());
    const placement::Decision now = changes ? evaluator.decide(then) : decisions.of(node, index);
    const bool was_eligible = placement::should_run(before.decision());
    const bool is_eligible = placement::should_run(now);
    result.before.desired_number_scheduled += was_eligible ? 1 : 0;
    result.before.number_misscheduled += !was_eligible && !before.pods().empty() ? 1 : 0;
    if (is_eligible && !was_eligible) result.gained.push_back(before.name);
    if (was_eligible && !is_eligible) result.lost.push_back(before.name);
    if (!placement::should_continue(before.decision())) gone_anyway.insert(before.name.view());
    places.push_back({before, &then, now, is_eligible && !was_eligible});
  });
  Settled settled = settle(ds, places, cluster, reporter.options().gates, new_template);
  result.after = {settled.desired, settled.misscheduled};
  result.deletes = std::move(settled.deletes);
  std::erase_if(result.deletes,
                [&](const auto& name) { return gone_anyway.contains(name.view()); });
  result.replaced = settled.replaced;
  result.unconfirmed = std::move(settled.unconfirmed);
  result.waits_for = std::move(settled.waits_for);
  result.budget = std::move(settled.budget);
  return result;
}

}  // namespace

model::PodTemplate changed(const model::PodTemplate& before, const TemplateChange& change) {
  model::PodTemplate result = before;
  if (change.removed) {
    result.tolerations.erase(result.tolerations.begin() +
                             static_cast<std::ptrdiff_t>(*change.removed));
  }
  result.tolerations.insert(result.tolerations.end(), change.added.begin(), change.added.end());
  if (change.requirements.empty()) return result;
  if (!result.node_affinity) result.node_affinity = model::NodeSelector{{{}}};
  for (model::NodeSelectorTerm& term : result.node_affinity->terms) {
    // An empty term matches nothing; with a requirement it would match something.
    const bool is_empty = term.match_expressions.empty() && term.match_fields.empty();
    if (is_empty && before.node_affinity) continue;
    term.match_expressions.insert(term.match_expressions.end(), change.requirements.begin(),
                                  change.requirements.end());
  }
  return result;
}

Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                 const TemplateChange& change, const diagnosis::DaemonSetReport& report) {
  const model::PodTemplate then = changed(ds.pod_template, change);
  const placement::Evaluator evaluator(then, reporter.options().gates);
  Effect result = evaluate({ds, report, reporter}, evaluator, {}, true);
  const auto tolerations = placement::effective_tolerations(then.tolerations, then.host_network);
  std::ranges::copy_if(
      result.gained, std::back_inserter(result.evicted), [&](const model::Text& name) {
        const model::Node* node = model::find_node(reporter.cluster(), name);
        return node != nullptr && is_evicted(tolerations, *node, reporter.options().gates);
      });
  return result;
}

Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                 const std::vector<model::Node>& changed,
                 const diagnosis::DaemonSetReport& report) {
  const placement::Evaluator evaluator(ds.pod_template, reporter.options().gates);
  return evaluate({ds, report, reporter}, evaluator, changed, false);
}

RepairFirst repair_first(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                         const diagnosis::DaemonSetReport& report, bool replaces) {
  const bool fails = std::ranges::any_of(report.findings, [](const diagnosis::Finding& finding) {
    return finding.id == diagnosis::FindingId::RolloutNewBroken &&
           finding.severity != diagnosis::Severity::Info;
  });
  if (fails) return RepairFirst::Revision;
  if (ds.update_strategy == "OnDelete") return RepairFirst::Nothing;
  if (reporter.facts().controller_manager_silence()) return RepairFirst::ControllerManager;
  if (std::ranges::any_of(report.findings, diagnosis::stops_creation)) return RepairFirst::Creation;
  return replaces && diagnosis::obstructs_own_surge(ds) ? RepairFirst::Surge : RepairFirst::Nothing;
}

RepairFirst repair_first(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                         const diagnosis::DaemonSetReport& report, const Effect& effect) {
  const RepairFirst first = repair_first(reporter, ds, report, effect.replaced > 0);
  if (first != RepairFirst::Nothing) return first;
  const bool never_ends = std::ranges::any_of(effect.waits_for, [&](const model::Text& name) {
    const auto node = report.nodes.find(name);
    return node &&
           diagnosis::action_of(*node, diagnosis::cause_of(*node)) != diagnosis::Action::None;
  });
  return never_ends ? RepairFirst::Nodes : RepairFirst::Nothing;
}

std::optional<diagnosis::Message> phrase_of(RepairFirst what) {
  using namespace diagnosis::phrase;
  switch (what) {
    case RepairFirst::Nothing: return std::nullopt;
    case RepairFirst::Revision: return RepairTheRevisionFirst{};
    case RepairFirst::ControllerManager: return RepairTheControllerManagerFirst{};
    case RepairFirst::Creation: return RepairCreationFirst{};
    case RepairFirst::Surge: return RepairTheSurgeFirst{};
    case RepairFirst::Nodes: return RepairTheNodesFirst{};
  }
  std::abort();
}

std::optional<std::size_t> restarted_pods(const diagnosis::DaemonSetReport& report,
                                          const Effect& effect) {
  if (!report.evaluated.pods_known) return std::nullopt;
  return effect.replaced;
}

}  // namespace dsdoctor::fixes
