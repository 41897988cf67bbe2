// SPDX-License-Identifier: Apache-2.0
#include "fixes/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/problems/root.h"
#include "diagnosis/report/reach.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::Message;

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

/// Whether a pod on a node that is not eligible stops counting without action.
bool resolves(const NodeReport& node) {
  if (node.verdict() == NodeVerdict::Removing) return true;
  return std::ranges::any_of(node.known(), diagnosis::passes);
}

/// Whether its pod is stuck in termination until somebody acts; a finding of severity Info until it
/// takes too long.
bool is_held(const NodeReport& node) {
  const diagnosis::Finding* cause = diagnosis::cause_of(node);
  return node.verdict() == NodeVerdict::Terminating && cause != nullptr && !cause->transient &&
         cause->id == diagnosis::FindingId::PodTerminatingStuck;
}

/// Whether the node needs no fix.
bool is_well(const NodeReport& node) {
  return node.verdict() == NodeVerdict::Running ||
         (node.verdict() == NodeVerdict::Terminating && !is_held(node));
}

bool is_needed(const diagnosis::Finding& finding) {
  return finding.severity != diagnosis::Severity::Info && !finding.transient;
}

/// Whether nothing is wrong on the node, or it resolves without action.
bool is_in_order(const NodeReport& node) {
  if (is_held(node)) return false;
  if (!diagnosis::is_wrong(node) && node.verdict() != NodeVerdict::Unknown) return true;
  const diagnosis::Finding* cause = diagnosis::cause_of(node);
  if (cause != nullptr && is_needed(*cause)) return false;
  // An obstacle on an eligible node needs a look even if it is recent.
  if (placement::should_run(node.decision())) return false;
  return cause == nullptr ? resolves(node)
                          : diagnosis::action_of(*cause) == diagnosis::Action::None;
}

/// The problem of an eligible node whose cause is unknown.
Message problem_of(NodeVerdict verdict) {
  using namespace diagnosis::phrase;
  switch (verdict) {
    case NodeVerdict::Missing: return ThePodIsMissing{};
    case NodeVerdict::Failed: return ThePodFailed{};
    case NodeVerdict::Duplicate: return SeveralPodsRun{};
    case NodeVerdict::Pending: return ThePodIsPending{};
    case NodeVerdict::NotReady: return ThePodIsNotReady{};
    // Verdicts of nodes that are not eligible, or on which nothing is wrong, do not occur here.
    case NodeVerdict::Misscheduled:
    case NodeVerdict::Removing:
    case NodeVerdict::Terminating:
    case NodeVerdict::Excluded:
    case NodeVerdict::Running:
    case NodeVerdict::Unknown:
    default: return PodsWereNotRead{};
  }
}

/// The reasons why no toleration helps.
Message clauses_of(const NodeReport& node) {
  std::vector<Message> reasons;
  for (const placement::Reason& reason : node.reasons()) {
    if (std::holds_alternative<placement::UntoleratedTaint>(reason)) continue;
    reasons.push_back(diagnosis::clause_of(reason));
  }
  return diagnosis::phrase::ExcludedByMoreThanTaints{.reasons = std::move(reasons)};
}

/// Whether it only sums up findings that are shown for the nodes.
bool sums_up(const diagnosis::Finding& finding) {
  return diagnosis::role_of(finding.id).sums_up == diagnosis::SumsUp::Nodes;
}

/// The findings about the DaemonSet as a whole, without those shown for its nodes.
std::vector<diagnosis::Finding> problems_of(const FixAnswer& answer, bool of_all_nodes) {
  std::vector<diagnosis::Finding> result;
  for (const diagnosis::Finding& finding : answer.report.findings) {
    const bool said = std::ranges::any_of(answer.incurable, [&](const Incurable& each) {
      return each.finding && each.finding->id == finding.id;
    });
    if (!said && !sums_up(finding) && diagnosis::is_worth_saying(finding)) {
      result.push_back(finding);
    }
  }
  const bool nothing_is_said =
      result.empty() && answer.incurable.empty() && !recommends_patch(answer);
  if (!of_all_nodes || !nothing_is_said) return result;
  std::ranges::copy_if(answer.report.findings, std::back_inserter(result),
                       [](const auto& each) { return sums_up(each) && is_needed(each); });
  return result;
}

TouchedFields touched_by(const FixAnswer& answer) {
  TouchedFields result{!answer.suggestions.empty(), false};
  for (const Alternative& each : answer.alternatives) {
    if (!each.change) continue;
    result.tolerations = result.tolerations || each.change->touches_tolerations();
    result.node_affinity = result.node_affinity || !each.change->requirements.empty();
  }
  return result;
}

class Consultation {
 public:
  Consultation(const diagnosis::Reporter& reporter, const FixTarget& target,
               const std::function<bool(const model::Node&)>& selects)
      : reporter_(reporter),
        cluster_(reporter.cluster()),
        selects_(selects),
        target_(target),
        foreign_(cluster_) {}

  [[nodiscard]] FixAnswer examine(const model::DaemonSet& ds,
                                  diagnosis::DaemonSetReport report) const {
    FixAnswer answer;
    answer.ds = &ds;
    answer.report = std::move(report);
    answer.target = target_;
    answer.first = repair_first(reporter_, ds, answer.report, answer.report.nodes_with_pods > 0);
    const bool all = target_.kind == FixTarget::Kind::Each && !selects_;
    const auto asked = all ? std::unordered_set<std::string_view>() : asked_nodes(answer.report);
    const auto is_asked = [&](const NodeReport& node) {
      return all || asked.contains(node.name.view());
    };
    suggest(answer, is_asked);
    answer.alternatives =
        alternatives({ds, answer.report, reporter_, foreign_}, target_.kind, is_asked);
    find_incurable(answer, is_asked);
    answer.problems = problems_of(answer, all);
    answer.owners = owners_of(ds, touched_by(answer));
    return answer;
  }

 private:
  [[nodiscard]] std::unordered_set<std::string_view> asked_nodes(
      const diagnosis::DaemonSetReport& report) const {
    std::unordered_set<std::string_view> result;
    for_each_node(report, cluster_, [&](const NodeReport& entry, const model::Node& node) {
      if (!is_target(target_, entry, node)) return;
      if (selects_ && !selects_(node)) return;
      result.insert(entry.name.view());
    });
    return result;
  }

  void suggest(FixAnswer& answer, const NodeFilter& is_asked) const {
    const auto& [ds, report] = std::tie(*answer.ds, answer.report);
    if (target_.kind != FixTarget::Kind::Each) {
      auto one = suggestion_for(reporter_, ds, report, is_asked);
      if (one) answer.suggestions.push_back(std::move(*one));
      return;
    }
    auto [offered, withheld] = suggestions(reporter_, ds, report);
    answer.suggestions = std::move(offered);
    answer.withheld = std::move(withheld);
    if (!selects_) return;
    std::unordered_set<std::string_view> names;
    for (const NodeReport& node : report.nodes) {
      if (is_asked(node)) names.insert(node.name.view());
    }
    answer.suggestions = those_for(std::move(answer.suggestions), names);
    answer.withheld = those_for(std::move(answer.withheld), names);
    const auto is_withheld = [&](const NodeReport& node) {
      return std::ranges::any_of(answer.withheld, [&](const Suggestion& each) {
        const auto& gained = each.effect.gained;
        return std::ranges::find(gained, node.name) != gained.end();
      });
    };
    // A user who names nodes wants all of them eligible, for any obstacle: one patch. Nodes that
    // run no daemon pods need no patch, even if a patch for others makes them eligible.
    auto one = suggestion_for(reporter_, ds, report, [&](const NodeReport& node) {
      return is_asked(node) && !is_withheld(node);
    });
    if (!one) {
      answer.suggestions.clear();
    } else if (answer.suggestions.size() > 1) {
      // If the patch does more than some nodes need, the smaller patches remain recommended.
      std::erase_if(answer.suggestions, [&](const Suggestion& each) {
        return one->recommended || !each.recommended || each.id == one->id;
      });
      answer.suggestions.push_back(std::move(*one));
    }
  }

  /// Nodes that the recommended suggestions make eligible, and those that recommended alternatives
  /// exclude.
  static std::unordered_set<std::string_view> fixed_nodes(const FixAnswer& answer) {
    std::unordered_set<std::string_view> result;
    for (const Suggestion& suggestion : answer.suggestions) {
      if (!suggestion.recommended) continue;
      for (const model::Text& name : suggestion.effect.gained) result.insert(name.view());
    }
    for (const Alternative& alternative : answer.alternatives) {
      if (!alternative.recommended) continue;
      for (const model::Text& name : alternative.effect.lost) result.insert(name.view());
    }
    return result;
  }

  /// Nodes that any suggestion makes eligible.
  static std::unordered_set<std::string_view> offered_nodes(const FixAnswer& answer) {
    std::unordered_set<std::string_view> result;
    for (const Suggestion& suggestion : answer.suggestions) {
      for (const model::Text& name : suggestion.effect.gained) result.insert(name.view());
    }
    return result;
  }

  /// The problem shared by several nodes, or its description if it has no group.
  using Key = std::pair<std::string, Message>;

  void find_incurable(FixAnswer& answer, const NodeFilter& is_asked) const {
    const bool is_each = target_.kind == FixTarget::Kind::Each;
    const auto fixed = fixed_nodes(answer);
    const auto offered = offered_nodes(answer);
    std::map<Key, Group> by_reason;
    // Nodes with the same state have the same problem; null: they have none.
    std::unordered_map<const diagnosis::NodeState*, Group*> by_state;
    for_each_node(answer.report, cluster_, [&](const NodeReport& node, const model::Node& object) {
      if (!is_asked(node)) return;
      if (!is_each || !is_well(node)) ++answer.targets;
      const bool excluded = node.verdict() == NodeVerdict::Excluded;
      answer.targets_in_order = answer.targets_in_order && is_in_order(node) && !excluded;
      if (fixed.contains(node.name.view())) return;
      const auto [known, is_new] = by_state.try_emplace(&*node.state);
      if (is_each && !is_new) {
        if (known->second != nullptr) known->second->of.nodes.push_back(node.name);
        return;
      }
      const bool is_offered = offered.contains(node.name.view());
      const auto why = is_each ? trouble_of(node, is_offered) : refusal_of(answer, node, object);
      if (!why) return;
      const diagnosis::Finding* cause = diagnosis::cause_of(node);
      Group& group = by_reason[is_each ? key_of(answer, node, cause, *why) : Key("", *why)];
      known->second = &group;
      if (group.of.nodes.empty()) group.of = incurable(node, cause, *why, is_each);
      group.add(node, *why);
    });
    for (auto& [key, group] : by_reason) answer.incurable.push_back(joined(std::move(group)));
    std::ranges::sort(answer.incurable, {}, [](const Incurable& each) {
      return std::tuple(-std::ssize(each.nodes), each.why);
    });
  }

  /// Nodes that are shown together because they share a problem.
  struct Group {
    Incurable of;
    std::optional<Message> title;
    bool differs = false;  // the messages of the nodes differ

    void add(const NodeReport& node, const Message& why) {
      differs = differs || of.why != why;
      title = title ? diagnosis::common(*title, why) : why;
      of.nodes.push_back(node.name);
    }
  };

  static Incurable incurable(const NodeReport& node, const diagnosis::Finding* cause,
                             const Message& why, bool is_each) {
    Incurable one;
    if (cause != nullptr && (diagnosis::is_wrong(node) || is_held(node))) one.finding = *cause;
    one.why = why;
    one.is_tolerable = is_each && is_curable(node);
    return one;
  }

  static Key key_of(const FixAnswer& answer, const NodeReport& node,
                    const diagnosis::Finding* cause, const Message& why) {
    if (cause == nullptr || cause->group.empty()) return {"", why};
    return {fmt::format("{}={}={}={}", cause->name(),
                        root_text(diagnosis::root_of(*cause, answer.report, &node)), cause->group,
                        to_string(diagnosis::action_of(*cause))),
            {}};
  }

  static Incurable joined(Group group) {
    if (!group.differs) return std::move(group.of);
    group.of.why = diagnosis::phrase::ForExample{
        .example = group.of.why, .node = group.of.nodes.front(), .title = std::move(group.title)};
    return std::move(group.of);
  }

  /// The problem of a node that needs action; absent if nothing does, or if the suggestions cover
  /// it. `is_offered`: a suggestion makes the node eligible.
  static std::optional<Message> trouble_of(const NodeReport& node, bool is_offered) {
    if (!diagnosis::is_wrong(node) && !is_held(node)) return {};
    const diagnosis::Finding* cause = diagnosis::cause_of(node);
    const bool is_eligible = placement::should_run(node.decision());
    const bool grave = cause != nullptr && cause->severity != diagnosis::Severity::Info;
    const bool needs_action =
        cause != nullptr && diagnosis::action_of(*cause) != diagnosis::Action::None;
    if (!is_eligible) {
      const bool is_plain = !grave || cause->id == diagnosis::FindingId::PodMisscheduled;
      if (is_offered && is_plain) return {};
      if (!grave && !needs_action) return {};
    }
    return told(node, cause);
  }

  /// Why no toleration helps a requested node; absent if one helps, or nothing is wrong.
  static std::optional<Message> refusal_of(const FixAnswer& answer, const NodeReport& node,
                                           const model::Node& object) {
    const std::string_view foreign = takes_no_daemons(node, object);
    if (!foreign.empty() && node.verdict() != NodeVerdict::Running) {
      return diagnosis::phrase::NodeTakesNoDaemons{.kind = foreign};
    }
    const bool inactive = diagnosis::is_inactive(*answer.ds);
    if (is_well(node) || (is_curable(node) && !inactive)) return {};
    if (is_held(node)) return told(node, diagnosis::cause_of(node));
    if (placement::should_run(node.decision())) {
      return diagnosis::phrase::NoTolerationMissing{.why = told(node, diagnosis::cause_of(node))};
    }
    if (inactive) return diagnosis::phrase::DaemonSetIgnored{};
    return clauses_of(node);
  }

  static Message told(const NodeReport& node, const diagnosis::Finding* cause) {
    if (cause == nullptr) return problem_of(node.verdict());
    if (cause->transient) return diagnosis::phrase::Transient{.finding = cause->message};
    return cause->message;
  }

  const diagnosis::Reporter& reporter_;
  const model::Cluster& cluster_;
  const std::function<bool(const model::Node&)>& selects_;
  const FixTarget& target_;
  ForeignNodes foreign_;
};

}  // namespace

bool recommends_patch(const FixAnswer& answer) {
  return std::ranges::any_of(answer.suggestions, &Suggestion::recommended) ||
         std::ranges::any_of(answer.alternatives, &Alternative::recommended);
}

bool needs_nothing(const FixAnswer& answer) {
  return answer.report.evaluated.nodes_known && !diagnosis::is_inactive(*answer.ds) &&
         !recommends_patch(answer) && std::ranges::none_of(answer.report.findings, is_needed) &&
         std::ranges::all_of(answer.report.nodes, is_in_order);
}

bool targets_need_nothing(const FixAnswer& answer) {
  const diagnosis::EvaluatedCounts& evaluated = answer.report.evaluated;
  return evaluated.nodes_known && evaluated.pods_known && !diagnosis::is_inactive(*answer.ds) &&
         answer.targets_in_order && answer.problems.empty() && !recommends_patch(answer);
}

std::vector<FixAnswer> fixes_for(const diagnosis::Reporter& reporter,
                                 const std::vector<const model::DaemonSet*>& daemon_sets,
                                 const FixTarget& target,
                                 const std::function<bool(const model::Node&)>& selects) {
  const Consultation consultation(reporter, target, selects);
  std::vector<FixAnswer> result;
  result.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) {
    // Effects are predicted for all nodes.
    result.push_back(consultation.examine(*ds, reporter.report(*ds)));
  }
  return result;
}

}  // namespace dsdoctor::fixes
