// SPDX-License-Identifier: Apache-2.0
#include "render/data/json.h"
#include "render/data/json_parts.h"

namespace dsdoctor::render {
namespace {

Json to_json(const model::Labels& labels) {
  Json result = Json::object();
  for (const auto& [key, value] : labels) result[key.str()] = value.str();
  return result;
}

Json to_json(const diagnosis::MapDiff& diff) {
  Json changed = Json::object();
  for (const auto& [key, values] : diff.changed) {
    changed[key.str()] = Json::array({values.first.str(), values.second.str()});
  }
  return {{"onlyFirst", to_json(diff.only_first)},
          {"onlySecond", to_json(diff.only_second)},
          {"changed", std::move(changed)}};
}

Json to_json(const std::vector<model::Taint>& taints) {
  Json result = Json::array();
  for (const model::Taint& taint : taints) result.push_back(taint_json(taint));
  return result;
}

Json to_json(const diagnosis::DaemonSetContrast& contrast) {
  Json because = Json::array();
  for (const diagnosis::OwnNodeReport* side : {&contrast.first, &contrast.second}) {
    for (std::size_t i = 0; i < side->reasons().size(); ++i) {
      Json entry = reason_json(side->reasons()[i], side->known()[i]);
      entry["node"] = side->name.str();
      because.push_back(std::move(entry));
    }
  }
  return {{"namespace", contrast.ns.str()},
          {"name", contrast.name.str()},
          {"verdicts", Json::array({to_string(contrast.first.verdict()),
                                    to_string(contrast.second.verdict())})},
          {"because", std::move(because)}};
}

Json identity(const std::pair<model::Text, model::Text>& names) {
  return {{"namespace", names.first.str()}, {"name", names.second.str()}};
}

void add_reasons(Json& into, const diagnosis::NodeReport& report,
                 const std::pair<model::Text, model::Text>& of) {
  for (std::size_t i = 0; i < report.reasons().size(); ++i) {
    Json entry = reason_json(report.reasons()[i], report.known()[i]);
    entry["daemonSet"] = identity(of);
    into.push_back(std::move(entry));
  }
}

Json change_json(const diagnosis::NodeChange& change) {
  return {{"name", change.name.str()},
          {"change", to_string(change.kind)},
          {"recreated", change.recreated},
          {"labels", to_json(change.labels)},
          {"taints",
           {{"onlyFirst", to_json(change.taints_only_first)},
            {"onlySecond", to_json(change.taints_only_second)}}}};
}

/// `held`: "now", or "then" for a reason that no longer holds.
void add_reasons(Json& into, const std::vector<placement::Reason>& reasons,
                 const std::vector<const model::KnownTaint*>& known, const char* held) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    Json reason = reason_json(reasons[i], known[i]);
    reason["held"] = held;
    into.push_back(std::move(reason));
  }
}

Json flip_json(const diagnosis::VerdictFlip& flip) {
  Json because = Json::array();
  add_reasons(because, flip.come, flip.known_come, "now");
  add_reasons(because, flip.gone, flip.known_gone, "then");
  return {{"namespace", flip.ns.str()},     {"name", flip.name.str()},
          {"node", flip.node.str()},        {"before", to_string(flip.before)},
          {"after", to_string(flip.after)}, {"nodeChanged", flip.node_changed},
          {"because", std::move(because)}};
}

}  // namespace

Json to_json(const diagnosis::NodeComparison& comparison, const Envelope& envelope) {
  Json document = start_document("NodeComparison", envelope);
  document["nodes"] = Json::array({comparison.first.str(), comparison.second.str()});
  document["labels"] = to_json(comparison.labels);
  document["taints"] = {{"onlyFirst", to_json(comparison.taints_only_first)},
                        {"onlySecond", to_json(comparison.taints_only_second)}};
  document["allocatable"] = to_json(comparison.allocatable);
  document["conditions"] = to_json(comparison.conditions);
  document["daemonSets"] = sorted_by_name(
      comparison.daemon_sets,
      [](const diagnosis::DaemonSetContrast& contrast) { return to_json(contrast); });
  return document;
}

Json to_json(const diagnosis::DaemonSetComparison& comparison, const Envelope& envelope) {
  Json document = start_document("DaemonSetComparison", envelope);
  document["daemonSets"] = Json::array({identity(comparison.first), identity(comparison.second)});
  Json nodes = Json::array();
  for (const diagnosis::NodeContrast& node : comparison.nodes) {
    Json because = Json::array();
    add_reasons(because, node.first, comparison.first);
    add_reasons(because, node.second, comparison.second);
    nodes.push_back({{"name", node.first.name.str()},
                     {"shouldRun", Json::array({placement::should_run(node.first.decision()),
                                                placement::should_run(node.second.decision())})},
                     {"verdicts", Json::array({to_string(node.first.verdict()),
                                               to_string(node.second.verdict())})},
                     {"because", std::move(because)}});
  }
  document["nodes"] = std::move(nodes);
  document["both"] = comparison.both;
  document["neither"] = comparison.neither;
  return document;
}

Json to_json(const diagnosis::NodeHistory& history, const Envelope& then, const Envelope& now) {
  Json document = start_document("NodeHistory", now);
  const Json earlier = start_document("NodeHistory", then);
  document["since"] = {{"source", earlier["source"]},
                       {"omissions", earlier["omissions"]},
                       {"warnings", earlier["warnings"]}};
  Json& nodes = document["nodes"] = Json::array();
  for (const diagnosis::NodeChange& change : history.nodes) nodes.push_back(change_json(change));
  Json& flips = document["flips"] = Json::array();
  for (const diagnosis::VerdictFlip& flip : history.flips) flips.push_back(flip_json(flip));
  document["otherFlips"] = history.pod_flips.size();
  Json& pod_flips = document["podFlips"] = Json::array();
  for (const diagnosis::PodFlip& flip : history.pod_flips) {
    pod_flips.push_back({{"namespace", flip.ns.str()},
                         {"name", flip.name.str()},
                         {"node", flip.node.str()},
                         {"before", to_string(flip.before)},
                         {"after", to_string(flip.after)}});
  }
  const auto names = [](const std::vector<diagnosis::NodeHistory::Name>& of) {
    Json result = Json::array();
    for (const auto& [ns, name] : of) {
      result.push_back({{"namespace", ns.str()}, {"name", name.str()}});
    }
    return result;
  };
  document["daemonSetsOnlyThen"] = names(history.only_then);
  document["daemonSetsOnlyNow"] = names(history.only_now);
  document["nodesOnlyThen"] = names_json(history.nodes_only_then);
  document["nodesOnlyNow"] = names_json(history.nodes_only_now);
  document["kindsOnlyThen"] = history.kinds_only_then;
  document["kindsOnlyNow"] = history.kinds_only_now;
  document["verdictsCompared"] = history.comparable && history.verdicts_comparable;
  document["comparedNodes"] = history.compared_nodes;
  return document;
}

}  // namespace dsdoctor::render
