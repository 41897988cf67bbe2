// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diagnosis/pools/pool_forecast.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/node_load.h"
#include "fixes/effects/settled.h"
#include "fixes/node_events.h"
#include "model/cluster.h"

/// What-if changes: a changed copy of the cluster, evaluated in the same way.
namespace dsdoctor::fixes {

struct WhatIf {
  std::vector<model::Toleration> tolerations;  // for every requested DaemonSet
  bool restarts = false;                       // as by kubectl rollout restart of each of them
  std::vector<NodeEdit> edits;                 // applied in this order
  std::vector<model::Node> nodes;              // added
  std::vector<model::NodeTemplate> templates;  // describe nodes to come; none is added
  std::vector<model::DaemonSet> daemon_sets;   // as if applied

  [[nodiscard]] bool empty() const {
    return tolerations.empty() && !restarts && edits.empty() && nodes.empty() &&
           templates.empty() && daemon_sets.empty();
  }
};

/// The cluster with changed nodes and manifests. A manifest of an existing DaemonSet replaces its
/// spec, and keeps its status and pods.
/// Errors: NotFound if an edit picks no node, or removes something that no node has; Usage if a
/// node to add already exists or a manifest is invalid.
[[nodiscard]] base::Result<model::Cluster> with_changes(const model::Cluster& cluster,
                                                        const WhatIf& what_if);

/// Appends the tolerations that the template does not have yet, and returns them. If there are any,
/// the revision of the template is unknown.
std::vector<model::Toleration> tolerate(model::DaemonSet& ds,
                                        const std::vector<model::Toleration>& tolerations);

/// A node whose verdict changes.
struct Flip {
  model::Text node;
  std::optional<diagnosis::NodeVerdict> before;  // absent: the node or the DaemonSet did not exist
  diagnosis::OwnNodeReport after;
};

/// The consequences for one DaemonSet.
struct Consequence {
  model::Text ns;
  model::Text name;
  diagnosis::EvaluatedCounts before;
  /// Desired, current and misscheduled are settled: after rollout, evictions and deletions.
  /// Deletions that happen without the change are not counted, since they are not effects of it.
  diagnosis::EvaluatedCounts after;
  Settled settled;             // details; `deletes` without deletions that happen anyway
  bool is_new = false;         // did not exist before
  bool is_active = true;       // the controller creates and deletes its pods
  bool rolls = false;          // the template differs and is not OnDelete: a rolling update begins
  bool replaces_pods = false;  // the update deletes current pods and creates them again
  std::vector<Flip> flips;     // by node
  std::vector<model::Toleration> tolerated;  // what-if, at the end of the template's list
};

/// A DaemonSet in one state of the cluster, and its report there.
struct Judged {
  const model::DaemonSet* ds = nullptr;
  const diagnosis::DaemonSetReport* report = nullptr;
  const model::Cluster& cluster;
};

/// `restarts`: a rolling update begins although the templates are equal. REQUIRES: both are about
/// the same DaemonSet. `before.ds` is null if it does not exist yet.
[[nodiscard]] Consequence consequence(Judged before, Judged after, placement::FeatureGates gates,
                                      bool restarts = false);

/// The what-if flags and their consequences.
struct Changed {
  std::vector<std::string> flags;  // as given: "--taint gpu-1=a:NoSchedule"
  std::vector<std::pair<model::Text, model::Text>> manifests;  // ns and name, as if applied
  std::vector<Consequence> consequences;                       // for every requested DaemonSet
  std::vector<diagnosis::NodeLoad> added;                      // nodes that were added
  std::vector<diagnosis::PoolForecast> pools;                  // one for each template
  std::vector<NodeEventForecast> events;                       // one for each
  std::vector<RolloutPace> paces;                              // one for each restarted DaemonSet
  std::vector<std::string> without_causes;                     // as in Today
  std::vector<model::ManifestPlace> places;                    // of DaemonSets in manifests
};

/// The changed cluster and its evaluation.
struct Imagined {
  model::Cluster cluster;
  std::vector<const model::DaemonSet*> daemon_sets;  // into `cluster`; the requested ones
  diagnosis::ReportOptions options;  // the current options; they also keep the current causes
  Changed changed;
};
/// Picks the requested DaemonSets of a cluster.
using Pick = std::function<std::vector<const model::DaemonSet*>(const model::Cluster&)>;

/// Applies `what_if`. `asked` belong to the reporter's cluster. Current causes are kept where
/// nothing changes, since a hypothetical cluster has no history. The caller sets `flags` of
/// Changed.
/// Errors: as with_changes.
[[nodiscard]] base::Result<Imagined> imagine(const WhatIf& what_if, const Pick& pick,
                                             const diagnosis::Reporter& today,
                                             const std::vector<const model::DaemonSet*>& asked);

/// The fate of a node's pod after a flip, as a clause: "its pod would be deleted"; empty if nothing
/// happens.
[[nodiscard]] std::string_view fate(const Consequence& of, const Flip& flip);

}  // namespace dsdoctor::fixes
