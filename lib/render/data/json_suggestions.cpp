// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "fixes/shared_fixes.h"
#include "render/data/json.h"
#include "render/data/json_parts.h"
#include "render/data/patch.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

void add_nodes(Json& into, const fixes::Effect& effect) {
  into["nodesGained"] = names_json(effect.gained);
  into["nodesLost"] = names_json(effect.lost);
  into["podsDeleted"] = names_json(effect.deletes);
  into["podsStuckTerminating"] = names_json(effect.unconfirmed);
  into["rolloutWaitsFor"] = names_json(effect.waits_for);
}

Json to_json(const model::DaemonSet& ds, const fixes::Suggestion& suggestion,
             const diagnosis::DaemonSetReport& report, const Presentation& style) {
  Json result = suggestion_json(report, suggestion, style);
  result["command"] = suggestion.of_manifest
                          ? Json(nullptr)
                          : optional_text(patch_command(ds, suggestion.change, style));
  add_nodes(result, suggestion.effect);
  result["wait"] = suggestion.wait ? text_of(*suggestion.wait) : "";
  result["guardedPatch"] = *guarded_json_patch(ds, suggestion.change);
  result["strategicPatch"] = strategic_patch(ds, suggestion.change);
  result["undo"] = suggestion.of_manifest
                       ? Json(nullptr)
                       : optional_text(undo_command(ds, suggestion.change, style));
  return result;
}

Json to_json(const model::DaemonSet& ds, const fixes::Alternative& alternative,
             const diagnosis::EvaluatedCounts& today, const Presentation& style) {
  Json result = {{"id", alternative.id},
                 {"what", text_of(alternative.what)},
                 {"recommended", alternative.recommended},
                 {"risk", text_of(alternative.risk)},
                 {"effect", effect_json(alternative.effect, today)}};
  add_nodes(result, alternative.effect);
  const bool is_patch = alternative.change.has_value();
  result["restartedPods"] =
      alternative.restarted_pods ? Json(*alternative.restarted_pods) : Json(nullptr);
  result["strategicPatch"] = is_patch ? strategic_patch(ds, *alternative.change) : Json(nullptr);
  if (alternative.of_manifest) {
    result["command"] = nullptr;
  } else {
    result["command"] = optional_text(is_patch ? patch_command(ds, *alternative.change, style)
                                               : node_command(*alternative.nodes, style));
  }
  result["undo"] = is_patch && !alternative.of_manifest
                       ? optional_text(undo_command(ds, *alternative.change, style))
                       : Json(nullptr);
  return result;
}

std::string_view to_string(fixes::Reverts reverts) {
  switch (reverts) {
    case fixes::Reverts::AtOnce: return "at-once";
    case fixes::Reverts::AtNextChange: return "at-next-change";
    case fixes::Reverts::Never: return "never";
  }
  return "";
}

Json to_json(const fixes::Owner& owner) {
  return {{"name", owner.name},
          {"evidence", owner.evidence},
          {"reverts", to_string(owner.reverts)},
          {"place", owner.place}};
}

Json to_json(const fixes::FixAnswer& answer, const Presentation& style) {
  return {
      {"namespace", answer.report.ns.str()},
      {"name", answer.report.name.str()},
      {"workload", workload_json(answer.report.workload)},
      {"suggestions", list_json(answer.suggestions,
                                [&](const fixes::Suggestion& each) {
                                  return to_json(*answer.ds, each, answer.report, style);
                                })},
      {"withheld", list_json(answer.withheld,
                             [&](const fixes::Suggestion& each) {
                               return Json{
                                   {"tolerations", list_json(each.change.added, toleration_json)},
                                   {"nodes", names_json(each.effect.gained)},
                                   {"advised", to_string(each.advised)},
                                   {"wait", each.wait ? text_of(*each.wait) : ""}};
                             })},
      {"alternatives", list_json(answer.alternatives,
                                 [&](const fixes::Alternative& each) {
                                   return to_json(*answer.ds, each, answer.report.evaluated, style);
                                 })},
      {"incurable", list_json(answer.incurable,
                              [&](const fixes::Incurable& each) {
                                return Json{{"why", text_of(each.why)},
                                            {"nodes", names_json(each.nodes)},
                                            {"finding", each.finding ? to_json(*each.finding, style)
                                                                     : Json(nullptr)}};
                              })},
      {"findings", list_json(answer.problems,
                             [&](const diagnosis::Finding& each) { return to_json(each, style); })},
      {"needsAction", !fixes::needs_nothing(answer)},
      {"owners", list_json(answer.owners, [](const fixes::Owner& each) { return to_json(each); })}};
}

Json to_json(const fixes::SharedFix& shared, const std::vector<fixes::FixAnswer>& answers) {
  const fixes::Suggestion* suggestion = shared.suggestion;
  const auto change = [](std::int64_t before, std::int64_t after) {
    return Json{{"before", before}, {"after", after}};
  };
  const auto& [before, after] = std::tie(shared.effect.before, shared.effect.after);
  return {{"id", suggestion == nullptr ? shared.alternative->id : suggestion->id},
          {"recommended", suggestion != nullptr && suggestion->recommended},
          {"daemonSets",
           list_json(shared.answers,
                     [&](std::size_t i) {
                       const diagnosis::DaemonSetReport& report = answers[i].report;
                       return Json{{"namespace", report.ns.str()}, {"name", report.name.str()}};
                     })},
          {"misscheduled", change(before.number_misscheduled, after.number_misscheduled)},
          {"desired", change(before.desired_number_scheduled, after.desired_number_scheduled)},
          {"nodesGained", names_json(shared.effect.gained)},
          {"restartedPods", shared.restarted_pods ? Json(*shared.restarted_pods) : Json(nullptr)}};
}

}  // namespace

Json to_json(const std::vector<fixes::FixAnswer>& answers, const Envelope& envelope,
             const Presentation& style) {
  Json document = start_document("Suggestions", envelope);
  std::vector<const fixes::FixAnswer*> sorted;
  sorted.reserve(answers.size());
  for (const fixes::FixAnswer& answer : answers) sorted.push_back(&answer);
  std::ranges::sort(sorted, {}, [](const fixes::FixAnswer* answer) {
    return std::pair(answer->report.ns.view(), answer->report.name.view());
  });
  document["sharedFixes"] =
      list_json(fixes::shared_fixes(answers).fixes,
                [&](const fixes::SharedFix& each) { return to_json(each, answers); });
  document["daemonSets"] =
      list_json(sorted, [&](const fixes::FixAnswer* answer) { return to_json(*answer, style); });
  return document;
}

}  // namespace dsdoctor::render
