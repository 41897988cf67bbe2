#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/report/report.h"
#include "diagnosis/views/alert.h"
#include "model/cluster.h"

/// What single nodes contribute to an alert; for alert.cpp.
namespace dsdoctor::diagnosis {

struct NodeClearing {
  Clearing how = Clearing::NotKnown;
  std::optional<std::int64_t> longest_grace = {};  // seconds
  bool knows_all_pods = true;
  std::optional<model::Time> about = {};
};

/// One node of a DaemonSet. Refers to what it is made from.
class AlertNode {
 public:
  AlertNode(Alert alert, const model::DaemonSet& ds, const NodeReport& report, const Facts& facts);

  [[nodiscard]] bool contributes() const;
  /// It has contributed at least since then; absent where no object tells.
  [[nodiscard]] std::optional<model::Time> since() const;
  [[nodiscard]] NodeClearing clearing() const;

 private:
  [[nodiscard]] std::optional<model::Time> missing_since() const;
  [[nodiscard]] std::optional<model::Time> misplaced_since() const;
  [[nodiscard]] std::optional<model::Time> unwell_since() const;
  [[nodiscard]] std::optional<model::Time> outdated_since() const;
  [[nodiscard]] NodeClearing clearing_of_misplaced() const;
  [[nodiscard]] NodeClearing clearing_of_leaving() const;
  [[nodiscard]] NodeClearing clearing_by_findings() const;
  [[nodiscard]] bool is_misplaced() const;
  [[nodiscard]] std::vector<const model::Pod*> pods() const;

  Alert alert_;
  const model::DaemonSet& ds_;
  const NodeReport& report_;
  const Facts& facts_;
  const model::Node* node_;  // null: no such node any more
};

/// When a pod of the present template was last created on a node that wants one.
[[nodiscard]] std::optional<model::Time> last_progress(const model::DaemonSet& ds,
                                                       const DaemonSetReport& report,
                                                       const Facts& facts);

}  // namespace dsdoctor::diagnosis
