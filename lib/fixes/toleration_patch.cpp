// SPDX-License-Identifier: Apache-2.0
#include "fixes/toleration_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "fixes/effects/toleration_effects.h"
#include "fixes/toleration_wording.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::NodeReport;

std::string id_part(const model::Toleration& toleration) {
  return toleration.value.empty()
             ? fmt::format("{}-{}", toleration.key.view(), toleration.effect.view())
             : fmt::format("{}-{}-{}", toleration.key.view(), toleration.value.view(),
                           toleration.effect.view());
}

/// Drops tolerations that a toleration of every value of the same taint covers.
void drop_covered(std::map<std::string, model::Toleration>& needed) {
  std::set<std::pair<std::string_view, std::string_view>> of_every_value;  // key and effect
  for (const auto& [id, toleration] : needed) {
    if (toleration.op == "Exists") of_every_value.emplace(toleration.key, toleration.effect);
  }
  std::erase_if(needed, [&](const auto& entry) {
    const model::Toleration& narrow = entry.second;
    return narrow.op != "Exists" && of_every_value.contains({narrow.key, narrow.effect});
  });
}

/// Adds the tolerations that one node needs. REQUIRES: is_curable(node).
void add_needs(std::map<std::string, model::Toleration>& needed, const NodeReport& node) {
  for (const placement::Reason& reason : node.shared_reasons()) {
    const auto& taint = std::get<placement::UntoleratedTaint>(reason).taint;
    auto toleration = narrowest(taint, node.name);
    needed.emplace(id_part(toleration), std::move(toleration));
  }
}

/// The origin of a taint that is not in the catalogue, as the node shows it.
UnknownTaint origin_of(const model::Node& node, const placement::Reason& reason) {
  UnknownTaint result{node.meta.name, std::nullopt, std::nullopt};
  const std::size_t index = std::get<placement::UntoleratedTaint>(reason).index;
  const auto added = index < node.taints.size() ? diagnosis::taint_time(node, index) : std::nullopt;
  if (added && !added->upper_bound) result.added = added->time;
  if (const auto writer = diagnosis::taints_writer(node)) {
    result.writer = diagnosis::phrase_of(*writer);
  }
  return result;
}

void add_known(TolerationFix& fix, const NodeReport& node, const model::Node& object) {
  for (std::size_t i = 0; i < node.known().size(); ++i) {
    const model::KnownTaint* known = node.known()[i];
    if (std::ranges::find(fix.known, known) != fix.known.end()) continue;
    fix.known.push_back(known);
    if (known == nullptr) fix.unknown = origin_of(object, node.shared_reasons()[i]);
  }
  const diagnosis::Finding* cause = diagnosis::cause_of(node);
  const diagnosis::Action action = diagnosis::action_of(node, cause);
  const bool stays = !node.pods().empty() && placement::should_continue(node.decision());
  fix.has_pod = fix.has_pod || stays;
  fix.is_needed = fix.is_needed || (stays && action != diagnosis::Action::None);
  using enum diagnosis::FindingId;
  const bool is_out = cause != nullptr && is_about(cause->id, diagnosis::About::Silence);
  const bool is_stuck = std::ranges::any_of(node.findings(), [&](const auto& finding) {
    const diagnosis::Action of = diagnosis::action_of(finding);
    // The age of the node is known but that of the taint is not: do not assume a node that starts.
    const bool is_undated = finding.id == NodeStartupTaintStuck && object.meta.created &&
                            of == diagnosis::Action::Needed;
    return is_undated || (diagnosis::entry_of(finding.id).family == diagnosis::Family::Node &&
                          of == diagnosis::Action::Overdue);
  });
  fix.lasts = fix.lasts || is_stuck || (is_out && action != diagnosis::Action::None) ||
              (cause != nullptr && action == diagnosis::Action::Overdue);
  if (cause != nullptr && cause->id == NodeCniDeadlock) {
    fix.lasts = true;
    fix.breaks_deadlock = diagnosis::phrase::AgainstANetworkDeadlock{};
  }
}

std::string id_of(const std::map<std::string, model::Toleration>& needed) {
  std::string id = "tolerate";
  for (const auto& [part, toleration] : needed) id += "-" + part;
  return id;
}

void set_tolerations(TolerationFix& fix, const std::map<std::string, model::Toleration>& needed) {
  fix.tolerations.clear();
  fix.tolerations.reserve(needed.size());
  for (const auto& [part, toleration] : needed) fix.tolerations.push_back(toleration);
}

/// Merges the facts of `part` into `into`.
void join(TolerationFix& into, const TolerationFix& part) {
  for (const model::KnownTaint* known : part.known) {
    if (std::ranges::find(into.known, known) == into.known.end()) into.known.push_back(known);
  }
  into.has_pod = into.has_pod || part.has_pod;
  into.is_needed = into.is_needed || part.is_needed;
  into.does_more = into.does_more || part.does_more;
  into.lasts = into.lasts || part.lasts;
  if (!into.unknown) into.unknown = part.unknown;
  if (!into.breaks_deadlock) into.breaks_deadlock = part.breaks_deadlock;
}

/// Whether the catalogue suggests no toleration of the taint and advises such DaemonSets against
/// it.
bool is_never_tolerated(const model::KnownTaint* known, diagnosis::WorkloadKind kind) {
  return known != nullptr && !known->suggested &&
         diagnosis::advised_for(*known, kind) == model::Advised::No;
}

diagnosis::Message risk_of_a_loop(const std::vector<model::Text>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const model::Text& node : nodes) names.push_back(node.str());
  return diagnosis::phrase::RiskOfALoop{.nodes = std::move(names)};
}

/// Collects the sets of tolerations that nodes need, and makes suggestions with purpose, risk and
/// effect.
class Adviser {
 public:
  Adviser(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
          const diagnosis::DaemonSetReport& report)
      : reporter_(reporter), ds_(ds), report_(report) {}

  /// Calls `visit(entry, node)` for every node that tolerations make eligible.
  template <typename Visit>
  void for_each_curable(Visit&& visit) const {
    if (!diagnosis::takes_patches(ds_)) return;
    for_each_node(report_, reporter_.cluster(), [&](const NodeReport& entry, const auto& node) {
      if (is_curable(entry) && takes_no_daemons(entry, node).empty()) visit(entry, node);
    });
  }

  /// The sets of tolerations that nodes need, by id.
  [[nodiscard]] std::map<std::string, TolerationFix> fixes_for() const {
    std::map<std::string, TolerationFix> result;
    for_each_curable([&](const NodeReport& entry, const model::Node& node) {
      std::map<std::string, model::Toleration> needed;  // sorted, each once
      add_needs(needed, entry);
      drop_covered(needed);
      TolerationFix& fix = result[id_of(needed)];
      if (fix.tolerations.empty()) set_tolerations(fix, needed);
      add_known(fix, entry, node);
      add_deadlock(fix, entry, node);
    });
    return result;
  }

  /// Detects a pod that has to remove a startup taint, which keeps it off the node, alone or in a
  /// circle.
  void add_deadlock(TolerationFix& fix, const NodeReport& entry, const model::Node& node) const {
    for (const placement::Reason& reason : entry.shared_reasons()) {
      const auto& taint = std::get<placement::UntoleratedTaint>(reason).taint;
      if (!diagnosis::has_to_remove(ds_, taint, reporter_.facts(), node,
                                    reporter_.options().gates)) {
        continue;
      }
      fix.lasts = true;
      fix.breaks_deadlock = diagnosis::phrase::AgainstAStartupDeadlock{.key = taint.key};
    }
    add_circle(fix, node);
  }

  void add_circle(TolerationFix& fix, const model::Node& node) const {
    const auto startup = std::ranges::count_if(node.taints, [](const model::Taint& taint) {
      return diagnosis::startup_agent(taint).has_value();
    });
    if (startup < 2) return;
    const auto& gates = reporter_.options().gates;
    const auto circle = diagnosis::startup_circle(reporter_.facts(), node, gates);
    if (!circle || !circle->contains(ds_)) return;
    fix.lasts = true;
    if (circle->breaker().agent == &ds_) {
      fix.breaks_deadlock =
          diagnosis::phrase::AgainstAStartupCircle{.members = diagnosis::waits_of(*circle)};
    }
  }

  /// Recommends it if the DaemonSet has no eligible node, this needs action, and no knowledge about
  /// the taints forbids it.
  void give_it_nodes(Suggestion& best) const {
    const bool has_none = std::ranges::any_of(report_.findings, [](const diagnosis::Finding& each) {
      return each.id == diagnosis::FindingId::DaemonsetNoEligibleNode &&
             each.severity != diagnosis::Severity::Info &&
             diagnosis::action_of(each) != diagnosis::Action::None;
    });
    if (!has_none || best.advised == model::Advised::No || best.wait) return;
    if (repair_first(reporter_, ds_, report_, best.effect) != RepairFirst::Nothing) return;
    if (!best.effect.evicted.empty()) return;
    // The purpose of a NoExecute taint is to have pods deleted.
    const bool evicts = std::ranges::any_of(best.change.added, [](const model::Toleration& each) {
      return each.effect == model::effect::no_execute || each.effect.empty();
    });
    if (evicts) return;
    best.recommended = true;
    best.advised = model::Advised::Yes;
    best.purpose = diagnosis::phrase::ForADaemonSetWithoutNodes{};
  }

  /// Whether the fix is only offered if its node is requested.
  [[nodiscard]] bool is_withheld(const TolerationFix& fix) const {
    return !fix.breaks_deadlock &&
           std::ranges::any_of(fix.known, [&](const model::KnownTaint* known) {
             return is_never_tolerated(known, report_.workload.kind);
           });
  }

  [[nodiscard]] Suggestion advise(std::string id, const TolerationFix& fix) const {
    Suggestion result;
    result.id = std::move(id);
    result.change.added = fix.tolerations;
    result.creates_list = ds_.pod_template.tolerations.empty();
    result.on_delete = ds_.update_strategy == "OnDelete";
    const TolerationWording wording = wording_for(fix);
    const diagnosis::WorkloadKind kind = report_.workload.kind;
    const model::Advised usual = advised_for(fix, kind);
    result.effect = effects().of(result.change);
    const auto first = phrase_of(repair_first(reporter_, ds_, report_, result.effect));
    result.recommended =
        !first && result.effect.evicted.empty() && !fix.does_more &&
        (fix.breaks_deadlock || (is_for_pods(fix, wording) && usual != model::Advised::No));
    result.advised = result.recommended             ? model::Advised::Yes
                     : usual == model::Advised::Yes ? model::Advised::Depends
                                                    : usual;
    result.purpose = purpose_of(fix, wording, usual, kind);
    result.risk = first                           ? *first
                  : result.effect.evicted.empty() ? wording.risk
                                                  : risk_of_a_loop(result.effect.evicted);
    result.wait = wait_for(fix);
    result.restarted_pods = restarted_pods(report_, result.effect);
    return result;
  }

 private:
  [[nodiscard]] const TolerationEffects& effects() const {
    if (!effects_) effects_.emplace(reporter_, ds_, report_);
    return *effects_;
  }

  const diagnosis::Reporter& reporter_;
  const model::DaemonSet& ds_;
  const diagnosis::DaemonSetReport& report_;
  mutable std::optional<TolerationEffects> effects_;  // created on first use
};

/// Two changes of one list cannot be applied one after the other: the second was made for the
/// original list, and the rollout of the first deletes the pods that the second is for. Therefore
/// one patch for all nodes that need one is recommended, and its parts no longer are.
void recommend_one(const Adviser& adviser, const std::map<std::string, TolerationFix>& fixes,
                   Suggestions& found) {
  std::map<std::string, model::Toleration> needed;
  TolerationFix all;
  std::size_t recommended = 0;
  for (Suggestion& part : found.offered) {
    if (!part.recommended) continue;
    ++recommended;
    join(all, fixes.at(part.id));
    for (const auto& each : part.change.added) needed.emplace(id_part(each), each);
  }
  if (recommended < 2) return;
  for (Suggestion& part : found.offered) {
    if (!part.recommended) continue;
    part.recommended = false;
    part.advised = model::Advised::Depends;
    part.purpose = diagnosis::phrase::ForAPartOfTheNodes{};
  }
  drop_covered(needed);
  set_tolerations(all, needed);
  const std::string id = id_of(needed);
  const auto is_same = [&](const Suggestion& each) { return each.id == id; };
  std::erase_if(found.offered, is_same);
  std::erase_if(found.withheld, is_same);
  found.offered.push_back(adviser.advise(id, all));
}

}  // namespace

model::Toleration narrowest(const model::Taint& taint, std::string_view node_name) {
  if (taint.value.empty() || diagnosis::has_volatile_value(taint, node_name)) {
    return {taint.key, "Exists", {}, taint.effect, std::nullopt};
  }
  return {taint.key, "Equal", taint.value, taint.effect, std::nullopt};
}

std::vector<Suggestion> those_for(std::vector<Suggestion> suggestions,
                                  const std::unordered_set<std::string_view>& nodes) {
  std::erase_if(suggestions, [&](const Suggestion& suggestion) {
    return std::ranges::none_of(suggestion.effect.gained, [&](const model::Text& name) {
      return nodes.contains(name.view());
    });
  });
  return suggestions;
}

std::size_t count_for_other_nodes(const std::vector<Suggestion>& suggestions, std::size_t told) {
  std::unordered_set<std::string_view> reached;
  for (std::size_t i = 0; i < told; ++i) {
    for (const model::Text& node : suggestions[i].effect.gained) reached.insert(node.view());
  }
  const auto reaches_more = [&](const Suggestion& each) {
    return !std::ranges::all_of(
        each.effect.gained, [&](const model::Text& node) { return reached.contains(node.view()); });
  };
  return static_cast<std::size_t>(std::count_if(
      suggestions.begin() + static_cast<std::ptrdiff_t>(told), suggestions.end(), reaches_more));
}

Suggestions suggestions(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                        const diagnosis::DaemonSetReport& report) {
  const Adviser adviser(reporter, ds, report);
  Suggestions result;
  const auto fixes = adviser.fixes_for();
  for (const auto& [id, fix] : fixes) {
    auto& list = adviser.is_withheld(fix) ? result.withheld : result.offered;
    list.push_back(adviser.advise(id, fix));
  }
  recommend_one(adviser, fixes, result);
  std::ranges::stable_sort(result.offered, {}, [](const Suggestion& suggestion) {
    const Effect& effect = suggestion.effect;
    return std::tuple(!suggestion.recommended,
                      effect.after.number_misscheduled - effect.before.number_misscheduled,
                      -static_cast<std::ptrdiff_t>(effect.gained.size()));
  });
  if (!result.offered.empty()) adviser.give_it_nodes(result.offered.front());
  return result;
}

std::optional<Suggestion> suggestion_for(const diagnosis::Reporter& reporter,
                                         const model::DaemonSet& ds,
                                         const diagnosis::DaemonSetReport& report,
                                         const NodeFilter& asked) {
  const Adviser adviser(reporter, ds, report);
  std::map<std::string, model::Toleration> asked_for;
  std::map<std::string, model::Toleration> needed;  // by nodes that need a fix
  TolerationFix fix;
  adviser.for_each_curable([&](const NodeReport& entry, const model::Node& node) {
    if (!asked(entry)) return;
    add_needs(asked_for, entry);
    add_known(fix, entry, node);
    adviser.add_deadlock(fix, entry, node);
    TolerationFix own;
    add_known(own, entry, node);
    adviser.add_deadlock(own, entry, node);
    if (own.is_needed || own.breaks_deadlock) add_needs(needed, entry);
  });
  if (asked_for.empty()) return std::nullopt;
  drop_covered(asked_for);
  fix.does_more = std::ranges::any_of(
      asked_for, [&](const auto& entry) { return !needed.contains(entry.first); });
  set_tolerations(fix, asked_for);
  return adviser.advise(id_of(asked_for), fix);
}

}  // namespace dsdoctor::fixes
