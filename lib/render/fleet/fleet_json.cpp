// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"
#include "render/data/json_parts.h"
#include "render/fleet/fleet.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {

Json fleet_problems_json(const Fleet& fleet) {
  return list_json(fleet.problems, [&](const fixes::FleetProblem& problem) {
    const diagnosis::Problem& joint = problem.problem;
    return Json{
        {"finding", joint.finding},
        {"severity", to_string(joint.severity)},
        {"action", to_string(joint.action)},
        {"title", title_of(joint).text},
        {"root",
         {{"kind", joint.root.kind}, {"namespace", joint.root.ns}, {"name", joint.root.name}}},
        {"placements", problem.placements},
        {"inputs", list_json(problem.parts, [&](const fixes::FleetProblem::Part& part) {
           const fixes::ClusterAnswer& answer = fleet.answers[part.cluster];
           const fixes::ClusterProblem& one = answer.problems[part.problem];
           return Json{{"input", answer.name},
                       {"id", one.problem.id},
                       {"placements", one.placements},
                       {"nodes", one.nodes},
                       {"daemonSets", one.daemon_sets},
                       {"since", one.problem.since ? Json(base::rfc3339_seconds(*one.problem.since))
                                                   : Json(nullptr)}};
         })}};
  });
}

}  // namespace dsdoctor::render
