// SPDX-License-Identifier: Apache-2.0
#include "fixes/what_if.h"
#include "render/data/json.h"
#include "render/data/json_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::Consequence;
using fixes::Flip;

Json amounts_json(const scheduling::Amounts& amounts) {
  Json result = Json::object();
  for (const auto& [name, amount] : amounts) result[name] = to_string(amount);
  return result;
}

Json placement_json(const diagnosis::EvaluatedCounts& evaluated) {
  const model::DaemonSetCounts& counts = evaluated.counts;
  const bool both = evaluated.nodes_known && evaluated.pods_known;
  return {{"desiredNumberScheduled",
           count_json(evaluated.nodes_known, counts.desired_number_scheduled)},
          {"currentNumberScheduled", count_json(both, counts.current_number_scheduled)},
          {"numberMisscheduled", count_json(both, counts.number_misscheduled)}};
}

Json flip_json(const Consequence& c, const Flip& flip) {
  Json because = Json::array();
  for (std::size_t i = 0; i < flip.after.reasons().size(); ++i) {
    because.push_back(reason_json(flip.after.reasons()[i], flip.after.known()[i]));
  }
  return {{"namespace", c.ns.str()},
          {"name", c.name.str()},
          {"node", flip.node.str()},
          {"before", flip.before ? Json(to_string(*flip.before)) : Json(nullptr)},
          {"after", to_string(flip.after.verdict())},
          {"fate", fixes::fate(c, flip)},
          {"because", std::move(because)}};
}

}  // namespace

Json what_if_json(const fixes::Changed& changed) {
  Json flips = Json::array();
  Json counts = Json::array();
  for (const Consequence& c : changed.consequences) {
    for (const Flip& flip : c.flips) flips.push_back(flip_json(c, flip));
    counts.push_back({{"namespace", c.ns.str()},
                      {"name", c.name.str()},
                      {"before", c.is_new ? Json(nullptr) : placement_json(c.before)},
                      {"after", placement_json(c.after)},
                      {"replacesPods", c.replaces_pods},
                      {"podsDeleted", names_json(c.settled.deletes)},
                      {"podsStuckTerminating", names_json(c.settled.unconfirmed)},
                      {"rolloutWaitsFor", names_json(c.settled.waits_for)}});
  }
  Json added = Json::array();
  for (const auto& load : changed.added) added.push_back(node_load_json(load));
  return {{"changes", changed.flags},
          {"flips", std::move(flips)},
          {"daemonSets", std::move(counts)},
          {"addedNodes", std::move(added)}};
}

Json node_load_json(const diagnosis::NodeLoad& load) {
  Json shares = Json::array();
  for (const auto& share : load.shares) {
    shares.push_back({{"namespace", share.ns.str()},
                      {"name", share.name.str()},
                      {"present", share.present},
                      {"requests", amounts_json(share.requests)}});
  }
  return {{"node", load.node.str()},
          {"pods", load.pods},
          {"requests", amounts_json(load.requests)},
          {"allocatable", amounts_json(load.allocatable)},
          {"daemonSets", std::move(shares)}};
}

}  // namespace dsdoctor::render
