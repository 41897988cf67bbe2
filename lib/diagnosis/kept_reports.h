// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "diagnosis/report/report.h"
#include "model/changes/state_changes.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

/// The reports of an earlier state that hold for the next one as well: those of DaemonSets about
/// which there is nothing to say, and which no change concerns. A DaemonSet with a finding is
/// reported again for every state, because a finding may depend on any object, and on the time.
class KeptReports {
 public:
  /// Reports are not kept for longer, because findings may begin by time alone.
  static constexpr std::chrono::seconds longest{60};

  /// Call for each state, before reports about it are requested. `gates`: of the reports.
  void advance(const model::StateChanges& changes, const placement::FeatureGates& gates,
               model::Time now);
  void clear() { reports_.clear(); }

  /// The report that still holds; null: make a new one. `diagnoses`: as in ReportOptions.
  [[nodiscard]] const DaemonSetReport* find(const model::DaemonSet& ds, bool diagnoses) const;
  /// Takes note of a new report.
  void keep(const model::DaemonSet& ds, const DaemonSetReport& report, bool diagnoses);

  /// The number of reports that were found instead of being made.
  [[nodiscard]] std::size_t reused() const { return reused_; }

 private:
  struct Kept {
    std::optional<DaemonSetReport> verdicts;  // without findings
    std::optional<DaemonSetReport> whole;     // only if it is settled
    std::set<std::string> links;              // see links_of()
    model::Time since;
  };

  std::map<model::ObjectKey, Kept> reports_;
  std::optional<placement::FeatureGates> gates_;
  model::Time now_;
  mutable std::size_t reused_ = 0;
};

}  // namespace dsdoctor::diagnosis
