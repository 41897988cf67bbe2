// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/index_runs.h"
#include "diagnosis/views/alert.h"
#include "model/meta.h"

namespace dsdoctor::model {
struct DaemonSet;
}

namespace dsdoctor::diagnosis {

class Facts;
struct DaemonSetReport;

/// An inequality of an alert's expression, with values from status.
struct AlertTerm {
  std::string left;  // "desiredNumberScheduled"
  std::int64_t left_value = 0;
  std::string right;  // the other counter; empty: compared with 0
  std::int64_t right_value = 0;
  bool holds = false;

  friend bool operator==(const AlertTerm&, const AlertTerm&) = default;
};

struct ClearingNodes {
  Clearing how = Clearing::NotKnown;
  std::vector<model::Text> nodes;
  /// For NodeGone: the longest terminationGracePeriodSeconds of the pods on the nodes, in seconds.
  std::optional<std::int64_t> longest_grace;
  bool knows_all_pods = true;  // false: other pods may have a longer one
  model::OptionalTime about;   // estimated time, after judged_at; absent if not known

  friend bool operator==(const ClearingNodes&, const ClearingNodes&) = default;
};

/// An alert's expression, evaluated for a DaemonSet.
struct AlertReport {
  Alert alert = Alert::NotScheduled;
  model::Time judged_at;  // time of the evaluation
  bool holds = false;     // for the reported status, which the alert uses
  /// For the evaluated counts, which status should have; absent if too little was read.
  std::optional<bool> should_hold;
  std::vector<AlertTerm> terms;
  /// Indexes into DaemonSetReport::nodes: the nodes that make it hold.
  base::IndexRuns nodes;
  std::vector<std::string> findings;  // unique ids, of these nodes and of the DaemonSet
  std::vector<ClearingNodes> clearing;
  std::optional<bool> clears_by_itself;  // absent: unknown
  /// The expression has held at least since this time. Absent: not known.
  model::OptionalTime since;
  /// The expression has not held continuously since before this time. Absent: not known.
  model::OptionalTime not_before;
  /// For RolloutStuck: result of last_progress(). The expression does not hold for five minutes
  /// after it.
  model::OptionalTime progressed;

  friend bool operator==(const AlertReport&, const AlertReport&) = default;
};

/// `report` covers every node.
[[nodiscard]] AlertReport judge_alert(Alert alert, const model::DaemonSet& ds,
                                      const DaemonSetReport& report, const Facts& facts);

/// Whether the alert fires already. True: the expression has held for the alert's window. False: it
/// fires at not_before + window at the earliest. Absent: not known. REQUIRES: report.holds.
[[nodiscard]] std::optional<bool> fires_already(const AlertReport& report);

}  // namespace dsdoctor::diagnosis
