#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/index_runs.h"
#include "model/meta.h"

namespace dsdoctor::model {
struct DaemonSet;
}

namespace dsdoctor::diagnosis {

class Facts;
struct DaemonSetReport;

/// The alerts about DaemonSets of kubernetes-mixin, which kube-prometheus and others ship.
/// Source of truth: alerts/apps_alerts.libsonnet.
enum class Alert { NotScheduled, MisScheduled, RolloutStuck };

inline constexpr Alert all_alerts[] = {Alert::NotScheduled, Alert::MisScheduled,
                                       Alert::RolloutStuck};

/// "KubeDaemonSetNotScheduled"
[[nodiscard]] std::string_view to_string(Alert alert);
/// In PromQL, without selectors.
[[nodiscard]] std::string_view expression_of(Alert alert);
/// How long the expression has to hold before the alert fires.
[[nodiscard]] std::chrono::minutes window_of(Alert alert);

/// The alert that a text names: its name, the part behind KubeDaemonSet, a line of a notification
/// with its name or its message; upper or lower case. Absent where it names none, or several.
[[nodiscard]] std::optional<Alert> alert_in(std::string_view text);

/// One inequality of an alert's expression, on status.
struct AlertTerm {
  std::string left;  // "desiredNumberScheduled"
  std::int64_t left_value = 0;
  std::string right;  // the other counter; empty: compared with 0
  std::int64_t right_value = 0;
  bool holds = false;

  friend bool operator==(const AlertTerm&, const AlertTerm&) = default;
};

/// What has to happen before a node no longer contributes to the alert.
enum class Clearing {
  NodeGone,   // the node is being removed
  PodGone,    // the pod is being deleted
  Passing,    // a process that is under way
  NodeWell,   // a state of the node ends, or somebody ends it
  TaintGone,  // whoever added a taint to a healthy node removes it
  Nothing,    // nothing is under way: somebody has to act
  NotKnown,
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
