// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/daemon_set_events.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/report/report.h"
#include "diagnosis/views/timeline_draft.h"

namespace dsdoctor::diagnosis {

/// The known history of a DaemonSet. It is incomplete: events are kept for about an hour, and
/// managedFields and conditions have only the last change. Keeps references to `facts` and `ds`.
class History {
 public:
  History(const Facts& facts, const model::DaemonSet& ds);

  /// Timeline of the object itself: creation, changes of its spec, revisions, its events.
  [[nodiscard]] Timeline of_daemon_set() const;
  /// Timeline of the node and of the DaemonSet's pods on it. `report`: has the names of the pods.
  [[nodiscard]] Timeline of_node(const model::Node& node, const NodeReport& report) const;

 private:
  /// Adds each loss of a pod by a label, and returns the events that it explains.
  [[nodiscard]] std::set<const model::Event*> add_label_losses(TimelineDrafts& drafts) const;
  [[nodiscard]] std::vector<const model::Event*> pod_events_on(
      const model::Node& node, const std::vector<const model::Pod*>& pods) const;

  const Facts& facts_;
  const model::DaemonSet& ds_;
  DaemonSetEvents events_;
  Facts::Events own_events_;
  std::unordered_map<std::string_view, Facts::Events> own_events_by_name_;  // in the message
  std::unordered_map<std::string_view, Facts::Events> pod_events_;          // by name of the pod
  /// Node -> names of deleted pods that only events mention.
  std::unordered_map<std::string_view, std::vector<std::string_view>> gone_pods_;
};

/// Adds the timelines of the report and of its wrong nodes, or of all nodes if `every_node`.
void add_timelines(DaemonSetReport& report, const model::DaemonSet& ds, const Facts& facts,
                   bool every_node);
/// The same for these nodes: indexes into report.nodes.
void add_timelines(DaemonSetReport& report, const model::DaemonSet& ds, const Facts& facts,
                   const base::IndexRuns& nodes);

}  // namespace dsdoctor::diagnosis
