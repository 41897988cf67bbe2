#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

/// What is known today, of a cluster in which something is taken as different.
namespace dsdoctor::fixes {

/// The causes that are known of a cluster before something is taken as different. They hold on
/// where nothing is: for the same node with the same verdict, reasons and pods, of a DaemonSet
/// whose template says the same but for its tolerations. Of a node that was changed and has the
/// same verdict, and of a pod that becomes misscheduled, is removed or ends, those of the changed
/// cluster are true.
class Today {
 public:
  /// `reports` are of `before`, with their findings. Keeps copies of what it needs.
  Today(const model::Cluster& before, const model::Cluster& after,
        std::vector<diagnosis::DaemonSetReport> reports);

  /// Leaves in `report`, a diagnosis of the changed cluster, what is true of it, and gives it the
  /// findings that hold on. Of those of the DaemonSet as a whole the ones that speak of its counts
  /// hold only where these stay; those that need no history, as that no node is eligible, are of
  /// the changed cluster. On nodes that become eligible, all of them for a new DaemonSet, a pod
  /// would be created; what the scheduler would refuse about it is the problem there, unless the
  /// pod may preempt others.
  void complete(diagnosis::DaemonSetReport& report) const;
  /// DaemonSets with another template: none of their causes holds on. "x/agent", sorted.
  [[nodiscard]] const std::vector<std::string>& without_causes() const { return without_causes_; }

 private:
  /// A pod would be created on the node, which is without one.
  [[nodiscard]] bool gains(const diagnosis::NodeReport& node,
                           const diagnosis::DaemonSetReport* today) const;
  /// By index of a node of the report: a pod would be created, and the changed cluster predicts
  /// that the scheduler refuses it.
  using Refused = std::vector<bool>;
  [[nodiscard]] Refused refused_in(const diagnosis::DaemonSetReport& report,
                                   const diagnosis::DaemonSetReport* today) const;
  /// `today`: of the same DaemonSet; null: it is new.
  void add_created(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                   const Refused& refused) const;
  /// `today`: null where none of its causes holds on.
  void keep_causes(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                   const Refused& refused) const;
  /// Of the node at `at`, from which the pod is going to be removed. Where its kubelet does not
  /// report, the node is the problem, as it is today.
  void keep_of_removed(diagnosis::DaemonSetReport& report, std::size_t at,
                       const diagnosis::NodeReport& today) const;
  /// `anew`: of the changed cluster. `today`: as in keep_causes.
  static void keep_findings(diagnosis::DaemonSetReport& report,
                            const std::vector<diagnosis::Finding>& anew,
                            const diagnosis::DaemonSetReport* today);

  std::vector<diagnosis::DaemonSetReport> reports_;
  std::set<std::string, std::less<>> changed_nodes_;
  std::set<std::string, std::less<>> new_nodes_;
  std::set<std::string, std::less<>> silent_nodes_;                  // their kubelets do not report
  std::map<std::string, std::int64_t, std::less<>> lowest_;          // priority of a pod, by node
  std::map<std::string, std::int64_t, std::less<>> preempts_below_;  // by "x/agent"
  std::set<std::string, std::less<>> new_daemon_sets_;               // "x/agent"
  std::set<std::string, std::less<>> inactive_;  // the same; no pods are created of them
  std::vector<std::string> without_causes_;
};

}  // namespace dsdoctor::fixes
