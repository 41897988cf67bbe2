// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "diagnosis/taints/taint_catalogue.h"
#include "render/data/json.h"
#include "render/data/json_parts.h"
#include "render/data/patch.h"

namespace dsdoctor::render {
namespace {

using diagnosis::TaintCell;
using diagnosis::TaintMatrix;
using diagnosis::TaintRow;

Json time_or_null(const model::OptionalTime& time) {
  return time ? Json(rfc3339(*time)) : Json(nullptr);
}

Json to_json(const model::KnownTaint* known, const model::Taint& taint) {
  if (known == nullptr) return nullptr;
  const auto suggested = diagnosis::suggested_toleration(*known, taint);
  return {{"id", known->id.str()},
          {"meaning", known->meaning.str()},
          {"setBy", known->set_by.str()},
          {"family", known->family.str()},
          {"lifecycle", to_string(known->lifecycle)},
          {"autoTolerated", known->auto_tolerated},
          {"autoToleratedCondition", known->auto_condition.str()},
          {"shouldTolerate",
           {{"nodeAgents", to_string(known->for_node_agents)},
            {"general", to_string(known->in_general)}}},
          {"advice", known->advice.str()},
          {"suggestedToleration", suggested ? toleration_json(*suggested) : Json(nullptr)},
          {"confidence", known->confidence.str()}};
}

Json to_json(const TaintRow& row) {
  Json nodes = Json::array();
  for (const diagnosis::TaintedNode& node : row.nodes) {
    nodes.push_back({{"name", node.name.str()},
                     {"value", node.value.str()},
                     {"since", time_or_null(node.since)}});
  }
  return {{"key", row.taint.key.str()},
          {"value", row.value_varies ? Json(nullptr) : Json(row.taint.value.str())},
          {"effect", row.taint.effect.str()},
          {"decides", row.decides},
          {"since", time_or_null(row.since)},
          {"nodes", std::move(nodes)},
          {"known", to_json(row.known, row.taint)}};
}

/// `taint`: index in the list of taints.
Json to_json(const TaintCell& cell, std::size_t taint) {
  Json path = nullptr;
  if (cell.treatment == diagnosis::Treatment::Tolerated) {
    path = "spec.template.spec.tolerations[" + std::to_string(cell.index) + "]";
  }
  return {{"taint", taint},
          {"treatment", to_string(cell.treatment)},
          {"by", cell.by ? toleration_json(*cell.by) : Json(nullptr)},
          {"path", std::move(path)},
          {"advised", cell.advised ? Json(to_string(*cell.advised)) : Json(nullptr)}};
}

}  // namespace

Json to_json(const TaintMatrix& matrix, const Envelope& envelope) {
  Json document = start_document("TaintMatrix", envelope);
  const auto count = [&](std::size_t number) {
    return count_json(matrix.nodes_known, static_cast<std::int64_t>(number));
  };
  // Taints are counted by key and effect in every output; the list has each value.
  document["summary"] = {{"taints", count(diagnosis::with_values_folded(matrix).taints.size())},
                         {"taintValues", count(matrix.taints.size())},
                         {"nodes", count(matrix.nodes)},
                         {"taintedNodes", count(matrix.tainted_nodes)},
                         {"daemonSets", matrix.daemon_sets.size()}};
  document["taints"] = Json::array();
  for (const TaintRow& row : matrix.taints) document["taints"].push_back(to_json(row));
  document["daemonSets"] = Json::array();
  std::vector<const diagnosis::DaemonSetRow*> sorted;
  sorted.reserve(matrix.daemon_sets.size());
  for (const diagnosis::DaemonSetRow& row : matrix.daemon_sets) sorted.push_back(&row);
  std::ranges::sort(sorted, {}, [](const diagnosis::DaemonSetRow* row) {
    return std::pair(row->ns.view(), row->name.view());
  });
  for (const diagnosis::DaemonSetRow* each : sorted) {
    const diagnosis::DaemonSetRow& row = *each;
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) cells.push_back(to_json(row.cells[i], i));
    document["daemonSets"].push_back({{"namespace", row.ns.str()},
                                      {"name", row.name.str()},
                                      {"workload", workload_json(row.workload)},
                                      {"taints", std::move(cells)}});
  }
  return document;
}

}  // namespace dsdoctor::render
