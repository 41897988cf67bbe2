// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/toleration_effects.h"

#include <algorithm>
#include <iterator>

#include "placement/tolerates.h"

namespace dsdoctor::fixes {

TolerationEffects::TolerationEffects(const diagnosis::Reporter& reporter,
                                     const model::DaemonSet& ds,
                                     const diagnosis::DaemonSetReport& report)
    : reporter_(reporter),
      ds_(ds),
      report_(report),
      rules_(ds, reporter.cluster(), reporter.options().gates, true) {
  places_.reserve(report.nodes.size());
  for_each_node(
      report, reporter.cluster(),
      [&](const diagnosis::NodeReport& today, const model::Node& node) { add_place(today, node); });
  whole_.budget = budget_of(ds, before_.desired_number_scheduled);
  shares_.reserve(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Share share = rules_.share_of(place, whole_);
    shares_.push_back(share);
    misscheduled_ += share.misscheduled ? 1 : 0;
    replaced_ += share.replaced ? 1U : 0U;
    has_more_ = has_more_ || rules_.waits_its_turn(place);
    if (rules_.uses_budget(place, whole_.budget)) budget_users_.push_back(i);
    // Other deletions happen without the change.
    const bool continues = placement::should_continue(place.decision);
    if (share.outcome == Outcome::Deleted && continues) deletes_.push_back(i);
    if (share.outcome == Outcome::Unconfirmed) unconfirmed_.push_back(i);
  }
}

void TolerationEffects::add_place(const diagnosis::NodeReport& today, const model::Node& node) {
  const bool is_eligible = placement::should_run(today.decision());
  before_.desired_number_scheduled += is_eligible ? 1 : 0;
  before_.number_misscheduled += !is_eligible && !today.pods().empty() ? 1 : 0;
  for (const placement::Reason& reason : today.shared_reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    Places& with = by_taint_[open->taint.key.view()][open->taint.value.view()];
    if (with.empty() || with.back() != places_.size()) with.push_back(places_.size());
  }
  places_.push_back({today, &node, today.decision(), false});
}

TolerationEffects::Places TolerationEffects::touched_by(
    const std::vector<model::Toleration>& tolerations) const {
  Places result;
  const auto add_all = [&](const auto& by_value) {
    for (const auto& [value, places] : by_value) {
      result.insert(result.end(), places.begin(), places.end());
    }
  };
  for (const model::Toleration& toleration : tolerations) {
    if (toleration.key.empty()) {
      for (const auto& [key, by_value] : by_taint_) add_all(by_value);
      continue;
    }
    const auto by_value = by_taint_.find(toleration.key.view());
    if (by_value == by_taint_.end()) continue;
    if (toleration.op != "Equal" && !toleration.op.empty()) {
      add_all(by_value->second);
    } else if (const auto places = by_value->second.find(toleration.value.view());
               places != by_value->second.end()) {
      result.insert(result.end(), places->second.begin(), places->second.end());
    }
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<TolerationEffects::Change> TolerationEffects::changes_by(const model::PodTemplate& then,
                                                                     const Places& touched) const {
  const placement::Evaluator evaluator(then, reporter_.options().gates);
  std::vector<Change> changes;
  for (const std::size_t at : touched) {
    const Place& today = places_[at];
    const placement::Decision decision = evaluator.decide(*today.node);
    if (decision == today.decision) continue;
    const bool gained = placement::should_run(decision);  // more tolerations exclude no node
    changes.push_back({at, {today.today, today.node, decision, gained}, {}, false});
  }
  return changes;
}

template <typename Has>
std::vector<model::Text> TolerationEffects::names(const Places& unchanged,
                                                  const std::vector<Change>& changes,
                                                  Has&& has) const {
  std::vector<model::Text> result;
  result.reserve(unchanged.size());
  auto next = changes.begin();
  const auto add_changed_before = [&](std::size_t at) {
    for (; next != changes.end() && next->at < at; ++next) {
      if (has(*next)) result.push_back(next->then.today.name);
    }
  };
  for (const std::size_t at : unchanged) {
    add_changed_before(at);
    if (next == changes.end() || next->at != at) result.push_back(places_[at].today.name);
  }
  add_changed_before(places_.size());
  return result;
}

Effect TolerationEffects::of(const TemplateChange& change) const {
  const model::PodTemplate then = changed(ds_.pod_template, change);
  std::vector<Change> changes = changes_by(then, touched_by(change.added));
  Effect result;
  result.before = before_;
  for (const Change& each : changes) {
    if (each.then.gained) result.gained.push_back(each.then.today.name);
  }
  result.after.desired_number_scheduled =
      before_.desired_number_scheduled + std::ssize(result.gained);
  Settling::Whole whole = whole_;
  whole.budget = budget_of(ds_, result.after.desired_number_scheduled);
  // Every node's share depends on these two properties of the budget.
  const bool is_other_whole = whole.budget.surge != whole_.budget.surge ||
                              (whole.budget.amount > 0) != (whole_.budget.amount > 0);
  if (is_other_whole) return effect_of(reporter_, ds_, change, report_);

  result.after.number_misscheduled = misscheduled_;
  result.replaced = replaced_;
  for (Change& each : changes) {
    const Share& without = shares_[each.at];
    each.share = rules_.share_of(each.then, whole);
    each.uses_budget = rules_.uses_budget(each.then, whole.budget);
    result.after.number_misscheduled +=
        (each.share.misscheduled ? 1 : 0) - (without.misscheduled ? 1 : 0);
    result.replaced += each.share.replaced ? 1U : 0U;
    result.replaced -= without.replaced ? 1U : 0U;
  }
  result.deletes = names(deletes_, changes, [&](const Change& each) {
    return each.share.outcome == Outcome::Deleted &&
           placement::should_continue(places_[each.at].decision);
  });
  result.unconfirmed = names(unconfirmed_, changes, [](const Change& each) {
    return each.share.outcome == Outcome::Unconfirmed;
  });
  if (rules_.rolls() && has_more_) {
    auto units = names(budget_users_, changes, [](const Change& each) { return each.uses_budget; });
    if (!units.empty() && std::ssize(units) >= whole.budget.amount) {
      result.waits_for = std::move(units);
      result.budget = text_of(whole.budget);
    }
  }
  const auto tolerations = placement::effective_tolerations(then.tolerations, then.host_network);
  for (const Change& each : changes) {
    if (each.then.gained && is_evicted(tolerations, *each.then.node, reporter_.options().gates)) {
      result.evicted.push_back(each.then.today.name);
    }
  }
  return result;
}

}  // namespace dsdoctor::fixes
