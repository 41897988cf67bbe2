// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// Makes the clause of a reason. `of_many`: without values that vary from node to node.
struct ClauseMaker {
  bool of_many = false;

  Message operator()(const placement::NodeNameMismatch& r) const {
    return phrase::FailsNodeName{.name = r.want};
  }
  Message operator()(const placement::NodeSelectorMismatch& r) const {
    return phrase::FailsNodeSelector{.found = found(r.have),
                                     .label = fmt::format("{}={}", r.key.view(), r.want.view()),
                                     .of_the_namespace = r.of_namespace};
  }
  Message operator()(const placement::AffinityTermMismatch& r) const {
    const model::NodeSelectorRequirement& requirement = *r.requirement;
    return phrase::FailsNodeAffinity{
        .found = found(r.have),
        .key = requirement.key,
        .op = requirement.op,
        .values = std::vector<std::string>(requirement.values.begin(), requirement.values.end())};
  }
  Message operator()(const placement::AffinityMatchesNothing&) const {
    return phrase::AffinityMatchesNoNode{};
  }
  Message operator()(const placement::UntoleratedTaint& r) const {
    const bool is_moment = of_many && timestamp_value(r.taint.value).has_value();
    return phrase::HasTaint{
        .taint = is_moment ? fmt::format("{}:{}", r.taint.key.view(), r.taint.effect.view())
                           : wording::taint(r.taint)};
  }

 private:
  [[nodiscard]] std::optional<Message> found(const std::optional<model::Text>& have) const {
    if (of_many) return std::nullopt;
    if (!have) return phrase::NodeLacksLabel{};
    return phrase::NodeHasValue{.value = have->empty() ? "\"\"" : have->view()};
  }
};

/// A key that is equal for reasons with the same clause of ClauseMaker with `of_many`. A string,
/// because a message for each of possibly many labels would need more memory.
struct ClauseKey {
  std::string operator()(const placement::NodeNameMismatch& r) const {
    return fmt::format("name {}", r.want.view());
  }
  std::string operator()(const placement::NodeSelectorMismatch& r) const {
    return fmt::format("selector {}{}={}", r.of_namespace ? "of the namespace " : "", r.key.view(),
                       r.want.view());
  }
  std::string operator()(const placement::AffinityTermMismatch& r) const {
    const model::NodeSelectorRequirement& requirement = *r.requirement;
    return fmt::format("affinity {} {} {}", requirement.key.view(), requirement.op.view(),
                       fmt::join(std::vector<std::string_view>(requirement.values.begin(),
                                                               requirement.values.end()),
                                 ", "));
  }
  std::string operator()(const placement::AffinityMatchesNothing&) const { return "affinity"; }
  std::string operator()(const placement::UntoleratedTaint& r) const {
    const bool is_moment = timestamp_value(r.taint.value).has_value();
    return is_moment ? fmt::format("taint {}:{}", r.taint.key.view(), r.taint.effect.view())
                     : fmt::format("taint {}", wording::taint(r.taint));
  }
};

/// The part of the template that a reason belongs to.
struct PartOf {
  TemplatePart operator()(const placement::NodeNameMismatch&) const {
    return TemplatePart::Selector;
  }
  TemplatePart operator()(const placement::NodeSelectorMismatch&) const {
    return TemplatePart::Selector;
  }
  TemplatePart operator()(const placement::AffinityTermMismatch&) const {
    return TemplatePart::Affinity;
  }
  TemplatePart operator()(const placement::AffinityMatchesNothing&) const {
    return TemplatePart::Affinity;
  }
  TemplatePart operator()(const placement::UntoleratedTaint&) const {
    return TemplatePart::Tolerations;
  }
};

struct CountedClause {
  const placement::Reason* example = nullptr;
  std::int64_t nodes = 0;
};

}  // namespace

Message clause_of(const placement::Reason& reason) { return std::visit(ClauseMaker(), reason); }

Obstacles obstacles(const DaemonSetReport& report, std::size_t shown, TemplatePart part) {
  std::map<std::string, CountedClause> counts;
  for (const auto& [state, nodes] : report.nodes.states()) {
    if (nodes == 0) continue;
    for (const placement::Reason& reason : state->reasons) {
      if (part != TemplatePart::Any && std::visit(PartOf(), reason) != part) continue;
      CountedClause& clause = counts[std::visit(ClauseKey(), reason)];
      if (clause.example == nullptr) clause.example = &reason;
      clause.nodes += nodes;
    }
  }
  std::vector<CountedClause> order;
  order.reserve(counts.size());
  for (const auto& [key, clause] : counts) order.push_back(clause);
  std::ranges::stable_sort(order, std::greater(), &CountedClause::nodes);
  Obstacles result;
  for (const CountedClause& clause : order) {
    if (result.most_frequent.size() == shown) break;
    result.most_frequent.push_back(
        phrase::NodesByClause{.clause = std::visit(ClauseMaker{.of_many = true}, *clause.example),
                              .nodes = clause.nodes});
  }
  result.others = order.size() - result.most_frequent.size();
  return result;
}

namespace {

bool lacks_label(const placement::Reason& reason) {
  if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return !label->have;
  }
  const auto* affinity = std::get_if<placement::AffinityTermMismatch>(&reason);
  return affinity != nullptr && !affinity->have;
}

/// Number of failed requirements that are only counted in a reason.
std::size_t untold(const placement::Reason& reason) {
  const auto* affinity = std::get_if<placement::AffinityTermMismatch>(&reason);
  return affinity == nullptr ? 0 : affinity->more;
}

/// How far a node is from being eligible: the number of requirements for labels and names that it
/// fails (one of several affinity terms suffices), the number of all requirements, and that of the
/// labels which it does not have. A node that the labels select is closest: the author meant it.
using Distance = std::tuple<std::size_t, std::size_t, std::size_t>;

Distance distance(const NodeState& state) {
  std::map<std::size_t, std::size_t> of_terms;
  std::size_t labels = 0;
  std::size_t taints = 0;
  for (const placement::Reason& reason : state.reasons) {
    if (const auto* affinity = std::get_if<placement::AffinityTermMismatch>(&reason)) {
      ++of_terms[affinity->term];
    } else {
      ++(std::holds_alternative<placement::UntoleratedTaint>(reason) ? taints : labels);
    }
  }
  const auto fewest =
      std::ranges::min_element(of_terms, {}, [](const auto& entry) { return entry.second; });
  if (fewest != of_terms.end()) labels += fewest->second;
  return {labels, labels + taints,
          static_cast<std::size_t>(std::ranges::count_if(state.reasons, lacks_label))};
}

}  // namespace

bool is_curable(const NodeReport& node) {
  return !node.shared_reasons().empty() &&
         std::ranges::all_of(node.shared_reasons(), [](const placement::Reason& reason) {
           return std::holds_alternative<placement::UntoleratedTaint>(reason);
         });
}

std::string_view takes_no_daemons(const NodeReport& entry, const model::Node& node) {
  if (is_fargate(node)) return "Fargate node";
  const bool by_taint = std::ranges::any_of(entry.known(), [](const model::KnownTaint* known) {
    return known != nullptr && known->family == "virtual-node";
  });
  return by_taint || is_virtual(node) ? "virtual node" : "";
}

std::size_t number_of_clauses(const NodeReport& node) {
  std::size_t result = node.shared_reasons().size();
  for (const placement::Reason& reason : node.shared_reasons()) result += untold(reason);
  return result;
}

std::optional<NodeReport> closest_node(const DaemonSetReport& report) {
  // The distance does not depend on the values of labels, which differ within a state.
  std::vector<std::optional<Distance>> of_states;
  for (const NodeReports::Use& use : report.nodes.states()) {
    const bool counts = use.nodes != 0 && !use.state->reasons.empty();
    of_states.push_back(counts ? std::optional(distance(*use.state)) : std::nullopt);
  }
  std::optional<std::size_t> best;
  const auto distance_of = [&](std::size_t node) { return of_states[report.nodes.state_of(node)]; };
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (distance_of(i) && (!best || distance_of(i) < distance_of(*best))) best = i;
  }
  return best ? std::optional(report.nodes[*best]) : std::nullopt;
}

bool is_out_by_state(const NodeState& state) {
  for (std::size_t i = 0; i < state.reasons.size(); ++i) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&state.reasons[i]);
    if (open == nullptr) return false;
    const model::KnownTaint* known = state.known[i];
    const bool ends = known != nullptr && known->lifecycle != model::TaintLifecycle::Permanent;
    if (!ends && !startup_agent(open->taint)) return false;
  }
  return !state.reasons.empty();
}

const Finding* temporary_obstacle(const NodeReport& report) {
  if (placement::should_run(report.decision())) return nullptr;
  const auto at = std::ranges::find_if(report.findings(), [&](const Finding& finding) {
    if (finding.severity == Severity::Info) return false;
    return finding.id == FindingId::NodeLabelChanged ||
           (is_out_by_state(*report.state) && entry_of(finding.id).family == Family::Node &&
            (!is_about(finding.id, About::Leaving) || finding.overdue_since));
  });
  return at == report.findings().end() ? nullptr : &*at;
}

std::vector<std::size_t> left_out(const DaemonSetReport& report) {
  std::vector<std::size_t> result;
  const auto of_note = report.nodes.where([](const NodeState& state) {
    return !placement::should_run(state.decision) && !state.findings.empty();
  });
  for (const std::size_t i : of_note) {
    if (temporary_obstacle(report.nodes[i]) != nullptr) result.push_back(i);
  }
  return result;
}

std::optional<Label> label_of_no_node(const model::DaemonSet& ds, const model::Cluster& cluster) {
  for (const auto& entry : ds.pod_template.node_selector) {  // Clang 14 cannot capture bindings
    const model::Text& key = entry.first;
    const model::Text& value = entry.second;
    const bool somewhere = std::ranges::any_of(cluster.nodes, [&](const model::Node& node) {
      const model::Text* have = node.meta.labels.find(key);
      return have != nullptr && *have == value;
    });
    if (!somewhere) return Label{key, value};
  }
  return std::nullopt;
}

}  // namespace dsdoctor::diagnosis
