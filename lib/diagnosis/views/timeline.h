#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/report/report.h"

namespace dsdoctor::diagnosis {

/// What is known of the past of one DaemonSet. Events are kept for about an hour, managedFields and
/// conditions remember the last change only: an entry that is not there proves nothing.
/// Refers to `facts` and `ds`.
class History {
 public:
  History(const Facts& facts, const model::DaemonSet& ds);

  /// Of the object itself: creation, changes of its spec, revisions, its events.
  [[nodiscard]] Timeline of_daemon_set() const;
  /// Of the node and of the DaemonSet's pods there. `report` names the pods.
  [[nodiscard]] Timeline of_node(const model::Node& node, const NodeReport& report) const;

 private:
  [[nodiscard]] std::vector<const model::Event*> pod_events_on(
      const model::Node& node, const std::vector<const model::Pod*>& pods) const;

  const Facts& facts_;
  const model::DaemonSet& ds_;
  Facts::Events own_events_;
  std::unordered_map<std::string_view, Facts::Events> own_events_by_name_;  // that they mention
  std::unordered_map<std::string_view, Facts::Events> pod_events_;          // by the pod's name
  /// Names of pods that events alone still know, by the node that they name.
  std::unordered_map<std::string_view, std::vector<std::string_view>> gone_pods_;
};

/// Fills in the timeline of the report, and of its nodes: of those on which something is wrong, or
/// of `every_node`.
void add_timelines(DaemonSetReport& report, const model::DaemonSet& ds, const Facts& facts,
                   bool every_node);

}  // namespace dsdoctor::diagnosis
