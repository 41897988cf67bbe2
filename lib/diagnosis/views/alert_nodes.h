// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/report/report.h"
#include "diagnosis/views/alert.h"
#include "model/cluster.h"

/// The contribution of single nodes to an alert; for alert_report.cpp.
namespace dsdoctor::diagnosis {

struct NodeClearing {
  Clearing how = Clearing::NotKnown;
  std::optional<std::int64_t> longest_grace = {};  // seconds
  bool knows_all_pods = true;
  model::OptionalTime about = {};
};

/// Pods of a namespace that are not in Facts::pods_on, by name: unbound, Failed or Succeeded.
using IdlePods = std::unordered_map<std::string_view, const model::Pod*>;
[[nodiscard]] IdlePods idle_pods(const model::Cluster& cluster, std::string_view ns);

/// A node of a DaemonSet. Keeps references to the arguments. `idle`: of the DaemonSet's namespace.
class AlertNode {
 public:
  AlertNode(Alert alert, const model::DaemonSet& ds, const NodeReport& report, const Facts& facts,
            const IdlePods& idle);

  [[nodiscard]] bool contributes() const;
  /// The node has contributed at least since this time; absent if not known.
  [[nodiscard]] model::OptionalTime since() const;
  [[nodiscard]] NodeClearing clearing() const;

 private:
  [[nodiscard]] model::OptionalTime missing_since() const;
  [[nodiscard]] model::OptionalTime misplaced_since() const;
  [[nodiscard]] model::OptionalTime unwell_since() const;
  [[nodiscard]] model::OptionalTime outdated_since() const;
  [[nodiscard]] NodeClearing clearing_of_misplaced() const;
  [[nodiscard]] NodeClearing clearing_of_leaving() const;
  [[nodiscard]] Clearing clearing_of_deletion(const std::vector<const model::Pod*>& deleted) const;
  [[nodiscard]] NodeClearing clearing_by_findings() const;
  [[nodiscard]] bool is_misplaced() const;
  [[nodiscard]] std::vector<const model::Pod*> pods() const;

  Alert alert_;
  const model::DaemonSet& ds_;
  NodeReport report_;
  const Facts& facts_;
  const IdlePods& idle_;
  const model::Node* node_;  // null: the node does not exist
};

/// The time when status was last written, so that it has not changed since; absent if not known.
[[nodiscard]] model::OptionalTime status_written(const model::DaemonSet& ds);

/// The time when updatedNumberScheduled last changed, by the objects: a pod of the current template
/// was created on an eligible node, or the template changed. A pod that replaces one of the same
/// template does not count. Absent if not known.
[[nodiscard]] model::OptionalTime last_progress(const model::DaemonSet& ds,
                                                const DaemonSetReport& report, const Facts& facts);

}  // namespace dsdoctor::diagnosis
