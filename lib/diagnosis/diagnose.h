#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/report/cases.h"
#include "diagnosis/report/node_kinds.h"
#include "diagnosis/report/report.h"

namespace dsdoctor::diagnosis {

using PodsOfNodes = std::unordered_map<std::string_view, std::vector<const model::Pod*>>;

/// What the findings of one DaemonSet are made of besides its case.
struct Examination {
  const PodsOfNodes& pods;  // of the DaemonSet, by node, each list in representative order
  /// Nodes that were asked for by name: they are described even where nothing is wrong.
  const std::function<bool(const model::Node&)>& asks;
  const NodeKinds* kinds = nullptr;  // null: nodes without pods do not share their states
  bool named = false;  // the DaemonSet was asked for by name: what could be better is said, too
};

/// Adds the findings to the nodes of `report` and to itself. `of.report` is `report`, whose
/// verdicts and counts are complete.
void diagnose(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report);

}  // namespace dsdoctor::diagnosis
