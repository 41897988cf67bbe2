#include "advice/template_change.h"

#include <algorithm>

namespace dsdoctor::advice {
namespace {

bool rolls_out(const model::DaemonSet& ds) { return ds.update_strategy != "OnDelete"; }

/// What becomes of each node; `rollout`: every pod of today is replaced where it is wanted.
Effect evaluate(const model::PodTemplate& after, const diagnosis::DaemonSetReport& report,
                const model::Cluster& cluster, placement::FeatureGates gates, bool rollout) {
  const placement::Evaluator evaluator(after, gates);
  Effect result;
  for_each_node(report, cluster, [&](const diagnosis::NodeReport& before, const model::Node& node) {
    const placement::Decision now = evaluator.decide(node);
    const bool was_wanted = placement::should_run(before.decision);
    const bool is_wanted = placement::should_run(now);
    const bool has_pod = !before.pods.empty();
    result.before.desired_number_scheduled += was_wanted ? 1 : 0;
    result.after.desired_number_scheduled += is_wanted ? 1 : 0;
    result.before.number_misscheduled += !was_wanted && has_pod ? 1 : 0;
    result.after.number_misscheduled += !is_wanted && has_pod ? 1 : 0;
    if (is_wanted && !was_wanted) result.gained.push_back(before.name);
    if (was_wanted && !is_wanted) result.lost.push_back(before.name);
    const bool goes = rollout ? !is_wanted : !placement::should_continue(now);
    if (has_pod && placement::should_continue(before.decision) && goes) {
      result.deletes.push_back(before.name);
    }
  });
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
    // A term with nothing in it matches nothing; with a requirement it would match something.
    const bool is_empty = term.match_expressions.empty() && term.match_fields.empty();
    if (is_empty && before.node_affinity) continue;
    term.match_expressions.insert(term.match_expressions.end(), change.requirements.begin(),
                                  change.requirements.end());
  }
  return result;
}

Effect effect_of(const model::PodTemplate& after, const diagnosis::DaemonSetReport& report,
                 const model::Cluster& cluster, placement::FeatureGates gates) {
  return evaluate(after, report, cluster, gates, false);
}

Effect effect_of(const model::DaemonSet& ds, const TemplateChange& change,
                 const diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                 placement::FeatureGates gates) {
  return evaluate(changed(ds.pod_template, change), report, cluster, gates, rolls_out(ds));
}

std::optional<std::size_t> restarted_pods(const model::DaemonSet& ds,
                                          const diagnosis::DaemonSetReport& report,
                                          const Effect& effect) {
  if (!report.evaluated.pods_known) return std::nullopt;
  if (!rolls_out(ds)) return 0;
  const auto unwanted = static_cast<std::size_t>(effect.after.number_misscheduled);
  return report.nodes_with_pods - std::min(report.nodes_with_pods, unwanted);
}

}  // namespace dsdoctor::advice
