// The filters that look at the node alone: unschedulable, taints, selector and affinity.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/node_affinity.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr const char* unschedulable_key = "node.kubernetes.io/unschedulable";

using Tolerations = std::vector<model::Toleration>;

bool tolerated(const model::Taint& taint, const Tolerations& tolerations,
               placement::FeatureGates gates) {
  return std::ranges::any_of(tolerations, [&](const model::Toleration& toleration) {
    return placement::tolerates(toleration, taint, gates);
  });
}

std::string taint_text(const model::Taint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value.str();
  return fmt::format("{}{}:{}", taint.key.view(), value, taint.effect.view());
}

/// Whether the DaemonSet's own pods tolerate it as they are made.
bool template_tolerates(const PendingCase& c, const model::Taint& taint) {
  const auto& from = c.of.of.ds.pod_template;
  return tolerated(taint, placement::effective_tolerations(from.tolerations, from.host_network),
                   c.of.of.gates);
}

constexpr const char* lost_toleration =
    "; the template tolerates it, so something changed the pod after it was created";

void add_unschedulable(const PendingCase& c, Blockers& into) {
  if (!c.node.unschedulable) return;
  const model::Taint cordon{unschedulable_key, "", model::effect::no_schedule, {}};
  if (tolerated(cordon, *c.pod.tolerations, c.of.of.gates)) return;
  into.push_back(
      {pending_finding(c, FindingId::SchedUnschedulable,
                       fmt::format("unschedulable: {} is cordoned, and the pod does not have the "
                                   "toleration that DaemonSet pods are created with",
                                   c.node.meta.name.view()),
                       {fmt::format("Node/{} spec.unschedulable: true", c.node.meta.name.view()),
                        pod_place(c.pod) + " spec.tolerations: none for " + unschedulable_key}),
       true});
}

void add_taints(const PendingCase& c, Blockers& into) {
  for (std::size_t i = 0; i < c.node.taints.size(); ++i) {
    const model::Taint& taint = c.node.taints[i];
    const bool told_already = c.node.unschedulable && taint.key == unschedulable_key;
    if (!placement::is_blocking(taint) || told_already ||
        tolerated(taint, *c.pod.tolerations, c.of.of.gates)) {
      continue;
    }
    std::string message =
        fmt::format("untolerated taint {1} on {0}", c.node.meta.name.view(), taint_text(taint));
    if (taint.time_added) {
      message += fmt::format(" (added {} ago)", wording::span(c.facts.now() - *taint.time_added));
    }
    const bool lost = template_tolerates(c, taint);
    if (lost) message += lost_toleration;
    Blocker blocker{pending_finding(c, finding::SchedTaint{.the_template_tolerates_it = lost},
                                    std::move(message),
                                    {fmt::format("Node/{} spec.taints[{}]: {}",
                                                 c.node.meta.name.view(), i, taint_text(taint))}),
                    true};
    const bool volatile_value = has_volatile_value(taint, c.node.meta.name);
    blocker.finding.group = fmt::format("{}:{}", taint.key.view(), taint.effect.view()) +
                            (volatile_value ? std::string() : "=" + taint.value.str());
    // The node is not eligible any more: the controller deletes the pod.
    if (!placement::should_run(c.of.report.decision())) {
      blocker.finding.severity = Severity::Warning;
    }
    into.push_back(std::move(blocker));
  }
}

std::string values_text(const std::vector<model::Text>& values) {
  std::string result;
  for (const model::Text& value : values) {
    result.append(result.empty() ? "" : ", ").append(value.view());
  }
  return result;
}

std::string requirement_text(const model::NodeSelectorRequirement& requirement) {
  if (requirement.values.empty()) {
    return fmt::format("{} {}", requirement.key.view(), requirement.op.view());
  }
  return fmt::format("{} {} [{}]", requirement.key.view(), requirement.op.view(),
                     values_text(requirement.values));
}

std::string have_text(const model::Node& node, const model::Text* have) {
  if (have == nullptr) return fmt::format("{} has no such label", node.meta.name.view());
  return fmt::format("{} has \"{}\"", node.meta.name.view(), have->view());
}

void add_selector(const PendingCase& c, Blockers& into) {
  for (const auto& [key, want] : c.pod.node_selector) {
    const model::Text* have = c.node.meta.labels.find(key);
    if (have != nullptr && *have == want) continue;
    const model::Text* own = c.of.of.ds.pod_template.node_selector.find(key);
    const bool of_template = own != nullptr && *own == want;
    std::string message = fmt::format("the pod's nodeSelector requires {}={}; {}", key.view(),
                                      want.view(), have_text(c.node, have));
    if (!of_template) {
      message +=
          "; it is not in the template: a namespace annotation, a RuntimeClass or a webhook added "
          "it";
    }
    Blocker blocker{
        pending_finding(
            c, FindingId::SchedNodeSelector, std::move(message),
            {fmt::format("{} spec.nodeSelector[{}]: {}", pod_place(c.pod), key.view(), want.view()),
             fmt::format("Node/{} metadata.labels[{}]: {}", c.node.meta.name.view(), key.view(),
                         have ? have->str() : "absent")}),
        true};
    blocker.finding.group = fmt::format("{}={}", key.view(), want.view());
    into.push_back(std::move(blocker));
  }
}

/// The failures of the term that is nearest to matching.
std::vector<placement::RequirementFailure> nearest_term(
    const std::vector<placement::RequirementFailure>& failures) {
  std::map<std::size_t, std::vector<placement::RequirementFailure>> by_term;
  for (const auto& failure : failures) by_term[failure.term].push_back(failure);
  if (by_term.empty()) return {};
  return std::ranges::min_element(by_term, {}, [](const auto& t) { return t.second.size(); })
      ->second;
}

void add_affinity(const PendingCase& c, Blockers& into) {
  if (!c.pod.node_affinity || c.predicted) return;  // it is made for this node
  const placement::NodeAffinity affinity(*c.pod.node_affinity);
  if (affinity.matches(c.node)) return;
  std::string wants;
  for (const auto& failure : nearest_term(affinity.failures(c.node))) {
    const auto& term = c.pod.node_affinity->terms[failure.term];
    const auto& requirement =
        (failure.in_fields ? term.match_fields : term.match_expressions)[failure.index];
    const model::Text* have = placement::value_for(requirement, failure.in_fields, c.node);
    wants += fmt::format("{}{} ({})", wants.empty() ? "" : " and ", requirement_text(requirement),
                         have_text(c.node, have));
  }
  if (wants.empty()) wants = "what no node has: every term is empty";
  Blocker blocker{pending_finding(c, FindingId::SchedNodeSelector,
                                  "the pod's required node affinity requires " + wants,
                                  {pod_place(c.pod) + " spec.affinity.nodeAffinity"}),
                  true};
  blocker.finding.group =
      wants.find(c.node.meta.name.view()) == std::string::npos ? wants : "affinity";
  into.push_back(std::move(blocker));
}

}  // namespace

void add_node_blockers(const PendingCase& c, Blockers& into) {
  add_unschedulable(c, into);
  add_taints(c, into);
  add_selector(c, into);
  add_affinity(c, into);
}

}  // namespace dsdoctor::diagnosis
