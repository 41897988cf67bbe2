#include "render/data/json_parts.h"
#include "render/terminal/node_history.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeChange;
using diagnosis::VerdictFlip;

Json taints_json(const std::vector<model::Taint>& taints) {
  Json result = Json::array();
  for (const model::Taint& taint : taints) result.push_back(taint_json(taint));
  return result;
}

Json change_json(const NodeChange& change) {
  return {{"name", change.name.str()},
          {"change", to_string(change.kind)},
          {"labels", map_diff_json(change.labels)},
          {"taints",
           {{"onlyFirst", taints_json(change.taints_only_first)},
            {"onlySecond", taints_json(change.taints_only_second)}}}};
}

/// `held`: "now", or "then" for a reason that holds no longer.
void add_reasons(Json& into, const std::vector<placement::Reason>& reasons,
                 const std::vector<const model::KnownTaint*>& known, const char* held) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    Json reason = reason_json(reasons[i], known[i]);
    reason["held"] = held;
    into.push_back(std::move(reason));
  }
}

Json flip_json(const VerdictFlip& flip) {
  Json because = Json::array();
  add_reasons(because, flip.come, flip.known_come, "now");
  add_reasons(because, flip.gone, flip.known_gone, "then");
  return {{"namespace", flip.ns.str()},     {"name", flip.name.str()},
          {"node", flip.node.str()},        {"before", to_string(flip.before)},
          {"after", to_string(flip.after)}, {"nodeChanged", flip.node_changed},
          {"because", std::move(because)}};
}

}  // namespace

Json to_json(const diagnosis::NodeHistory& history, const Envelope& then, const Envelope& now) {
  Json document = start_document("NodeHistory", now);
  const Json earlier = start_document("NodeHistory", then);
  document["since"] = {{"source", earlier["source"]},
                       {"omissions", earlier["omissions"]},
                       {"warnings", earlier["warnings"]}};
  Json& nodes = document["nodes"] = Json::array();
  for (const NodeChange& change : history.nodes) nodes.push_back(change_json(change));
  Json& flips = document["flips"] = Json::array();
  for (const VerdictFlip& flip : history.flips) flips.push_back(flip_json(flip));
  document["otherFlips"] = history.other_flips;
  document["comparedNodes"] = history.compared_nodes;
  return document;
}

}  // namespace dsdoctor::render
