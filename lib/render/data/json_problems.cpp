// SPDX-License-Identifier: Apache-2.0
#include "render/data/json_parts.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Problem;

Json to_json(const Problem& problem, const fixes::Explanation& explanation,
             const Presentation& style) {
  const auto name_of = [&](std::size_t i) {
    const diagnosis::DaemonSetReport& report = explanation.daemon_sets[i].report;
    return Json(report.ns.str() + "/" + report.name.str());
  };
  return {
      {"id", problem.id},
      {"finding", problem.finding},
      {"severity", to_string(problem.severity)},
      {"action", to_string(problem.action)},
      {"title", title_of(problem).text},
      {"message", text_of(problem.message)},
      {"root",
       {{"kind", problem.root.kind}, {"namespace", problem.root.ns}, {"name", problem.root.name}}},
      {"since", problem.since ? Json(base::rfc3339_seconds(*problem.since)) : Json(nullptr)},
      {"resolvesAt",
       problem.resolves_at ? Json(base::rfc3339_seconds(*problem.resolves_at)) : Json(nullptr)},
      {"affected",
       {{"placements", problem.placements.size()},
        {"daemonSets", list_json(problem.daemon_sets, name_of)},
        {"nodes", names_json(problem.nodes.items())}}},
      {"also", list_json(problem.also, [](const auto& other) { return Json(other.finding); })},
      {"fix", fix_json(problem.fix, style)},
      {"evidence", evidence_json(problem.evidence)}};
}

}  // namespace

Json object_json(const diagnosis::ObjectRef& object) {
  return {{"kind", object.kind}, {"namespace", object.ns}, {"name", object.name}};
}

Json evidence_json(const std::vector<diagnosis::Evidence>& rows) {
  return list_json(rows, [](const diagnosis::Evidence& row) {
    return Json{{"object", object_json(row.object)}, {"path", row.path}, {"value", row.value}};
  });
}

Json fix_json(const std::vector<diagnosis::Step>& fix, const Presentation& style) {
  return list_json(fix, [&](const diagnosis::Step& step) {
    return Json{{"text", step.text},
                {"command", step.command ? Json(addressed(*step.command, style)) : Json(nullptr)},
                {"condition", step.condition}};
  });
}

Json problems_json(const fixes::Explanation& explanation, const Presentation& style) {
  return list_json(explanation.problems.problems,
                   [&](const Problem& problem) { return to_json(problem, explanation, style); });
}

}  // namespace dsdoctor::render
