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

/// One inequality of an alert's expression, on status.
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
  /// Of NodeGone: the longest terminationGracePeriodSeconds of the pods on one of the nodes, in
  /// seconds.
  std::optional<std::int64_t> longest_grace;
  bool knows_all_pods = true;  // else other pods may have a longer one
  model::OptionalTime about;   // by when, where the objects tell; may have passed

  friend bool operator==(const ClearingNodes&, const ClearingNodes&) = default;
};

/// An alert's expression, held against one DaemonSet.
struct AlertReport {
  Alert alert = Alert::NotScheduled;
  model::Time judged_at;  // the moment of the answer
  bool holds = false;     // on the status that was reported: what the alert looks at
  /// On the status as it should be; absent where too little was read.
  std::optional<bool> should_hold;
  std::vector<AlertTerm> terms;
  /// Into DaemonSetReport::nodes: those that make it hold.
  base::IndexRuns nodes;
  std::vector<std::string> findings;  // ids, of these nodes and of the DaemonSet; each once
  std::vector<ClearingNodes> clearing;
  std::optional<bool> clears_by_itself;  // absent: is unknown
  /// It has held at least since then. Absent: no object shows.
  model::OptionalTime since;
  /// It has not held all the time since before then. Absent: no object shows.
  model::OptionalTime not_before;
  /// Of RolloutStuck: when the number of updated pods last changed, as last_progress tells. Less
  /// than five minutes ago, the expression does not hold.
  model::OptionalTime progressed;

  friend bool operator==(const AlertReport&, const AlertReport&) = default;
};

/// `report` covers every node.
[[nodiscard]] AlertReport judge_alert(Alert alert, const model::DaemonSet& ds,
                                      const DaemonSetReport& report, const Facts& facts);

/// True: it fires now, or would if Prometheus had watched. False: not before not_before + window.
/// Absent: whether it has held for long enough is unknown. REQUIRES: report.holds.
[[nodiscard]] std::optional<bool> fires_already(const AlertReport& report);

}  // namespace dsdoctor::diagnosis
