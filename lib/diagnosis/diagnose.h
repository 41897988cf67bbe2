// SPDX-License-Identifier: Apache-2.0
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

/// Further input for the findings of a DaemonSet, in addition to its case.
struct Examination {
  const PodsOfNodes& pods;  // pods of the DaemonSet by node, each list in representative order
  /// Selects nodes that the user named: they have findings even if nothing is wrong.
  const std::function<bool(const model::Node&)>& asks;
  const NodeClasses* classes = nullptr;  // null: nodes without pods do not share their states
  bool named = false;  // the user named the DaemonSet: add suggestions for improvement
  bool ahead = false;  // add what works only until a later event
};

/// Adds findings to `report` and to its nodes. REQUIRES: `of.report` is `report`, and its verdicts
/// and counts are complete.
void diagnose(const DaemonSetCase& of, const Examination& examination, DaemonSetReport& report);

}  // namespace dsdoctor::diagnosis
