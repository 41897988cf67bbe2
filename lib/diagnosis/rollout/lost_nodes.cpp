// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/rollout/lost_nodes.h"

#include <algorithm>

#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

bool is_placed_alike(const model::PodTemplate& one, const model::PodTemplate& other) {
  return one.node_name == other.node_name && one.node_selector == other.node_selector &&
         one.node_affinity == other.node_affinity && one.tolerations == other.tolerations;
}

}  // namespace

LostNodes lost_by_template(const DaemonSetCase& of) {
  const auto revisions = revisions_by_number(of.ds, of.facts);
  if (revisions.size() < 2) return {};
  const bool is_current = of.ds.template_fingerprint != 0 &&
                          revisions.back()->template_fingerprint == of.ds.template_fingerprint;
  if (!is_current) return {};
  std::size_t at = revisions.size() - 1;
  while (at > 0 && is_placed_alike(revisions[at]->pod_template, revisions[at - 1]->pod_template)) {
    --at;
  }
  if (at == 0) return {};
  model::PodTemplate before = revisions[at - 1]->pod_template;
  // A template that could not be read has no containers.
  if (before.spec.containers.empty() || revisions[at]->pod_template.spec.containers.empty()) {
    return {};
  }
  LostNodes result{revisions[at], template_changes(before, revisions[at]->pod_template), {}};
  before.namespace_selector = of.ds.pod_template.namespace_selector;
  const placement::Evaluator evaluator(before, of.gates);
  const auto excluded = of.report.nodes.where([](const NodeState& state) {
    return state.node_known && state.decision != placement::Decision::Run;
  });
  for (const std::size_t i : excluded) {
    const NodeReport report = of.report.nodes[i];
    const model::Node* node = model::find_node(of.facts.cluster(), report.name);
    if (node != nullptr && placement::should_run(evaluator.decide(*node))) {
      result.nodes.push_back(report.name.str());
    }
  }
  if (result.nodes.empty()) return {};
  return result;
}

}  // namespace dsdoctor::diagnosis
