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

/// The pods of a namespace that Facts::pods_on leaves out, by name: not bound to a node, or Failed
/// or Succeeded.
using IdlePods = std::unordered_map<std::string_view, const model::Pod*>;
[[nodiscard]] IdlePods idle_pods(const model::Cluster& cluster, std::string_view ns);

/// One node of a DaemonSet. Refers to what it is made from; `idle`: of the DaemonSet's namespace.
class AlertNode {
 public:
  AlertNode(Alert alert, const model::DaemonSet& ds, const NodeReport& report, const Facts& facts,
            const IdlePods& idle);

  [[nodiscard]] bool contributes() const;
  /// It has contributed at least since then; absent where no object shows.
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
  const model::Node* node_;  // null: no such node any more
};

/// When status was last written, as far as the object says: since then it has said what it says.
[[nodiscard]] model::OptionalTime status_written(const model::DaemonSet& ds);

/// When updatedNumberScheduled last changed, as far as the objects tell: a pod of the present
/// template was created on a node that wants one, or the template changed. Not for a pod that
/// replaces one of the same template.
[[nodiscard]] model::OptionalTime last_progress(const model::DaemonSet& ds,
                                                const DaemonSetReport& report, const Facts& facts);

}  // namespace dsdoctor::diagnosis
