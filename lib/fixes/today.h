// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

/// The current causes, applied to a hypothetical cluster.
namespace dsdoctor::fixes {

/// The causes that are known of the current cluster. They still hold where nothing changes: for the
/// same node with the same verdict, reasons and pods, of a DaemonSet whose template only differs in
/// its tolerations. The causes of the changed cluster hold for a changed node with the same
/// verdict, and for a pod that becomes misscheduled, is removed or ends.
class Today {
 public:
  /// `reports`: of `before`, with their findings. Keeps copies of the data that it needs.
  Today(const model::Cluster& before, const model::Cluster& after,
        std::vector<diagnosis::DaemonSetReport> reports);

  /// Reduces `report`, a diagnosis of the changed cluster, to findings that are true, and adds
  /// current findings that still hold. Findings of the DaemonSet as a whole that depend on its
  /// counts only hold if the counts are unchanged; those that need no history, such as "no node is
  /// eligible", come from the changed cluster. On nodes that become eligible (all nodes of a new
  /// DaemonSet) a pod would be created; a predicted rejection by the scheduler is the problem
  /// there, unless the pod may preempt others.
  void complete(diagnosis::DaemonSetReport& report) const;
  /// DaemonSets with a different template: none of their causes still holds. "x/agent", sorted.
  [[nodiscard]] const std::vector<std::string>& without_causes() const { return without_causes_; }

 private:
  /// Whether a pod would be created on the node, which has none.
  [[nodiscard]] bool gains(const diagnosis::NodeReport& node,
                           const diagnosis::DaemonSetReport* today) const;
  /// By index of a node of the report: whether a pod would be created and the changed cluster
  /// predicts that the scheduler rejects it.
  using Refused = std::vector<bool>;
  [[nodiscard]] Refused refused_in(const diagnosis::DaemonSetReport& report,
                                   const diagnosis::DaemonSetReport* today) const;
  /// `today`: the current report of the same DaemonSet; null: it is new.
  void add_created(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                   const Refused& refused) const;
  /// `today`: null if none of its causes still holds.
  void keep_causes(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                   const Refused& refused) const;
  /// Updates the node at `at`, from which the pod would be removed. If its kubelet does not report,
  /// the node is the problem, as it is now.
  void keep_of_removed(diagnosis::DaemonSetReport& report, std::size_t at,
                       const diagnosis::NodeReport& today) const;
  /// `anew`: findings of the changed cluster. `today`: as in keep_causes.
  static void keep_findings(diagnosis::DaemonSetReport& report,
                            const std::vector<diagnosis::Finding>& anew,
                            const diagnosis::DaemonSetReport* today);

  std::vector<diagnosis::DaemonSetReport> reports_;
  std::set<std::string, std::less<>> changed_nodes_;
  std::set<std::string, std::less<>> new_nodes_;
  std::set<std::string, std::less<>> silent_nodes_;                  // their kubelets do not report
  std::map<std::string, std::int64_t, std::less<>> lowest_;          // priority, by node
  std::map<std::string, std::int64_t, std::less<>> preempts_below_;  // by "x/agent"
  std::set<std::string, std::less<>> new_daemon_sets_;               // "x/agent"
  std::set<std::string, std::less<>> inactive_;                      // the same; they get no pods
  std::vector<std::string> without_causes_;
};

}  // namespace dsdoctor::fixes
