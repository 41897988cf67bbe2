#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/node_load.h"
#include "fixes/settled.h"
#include "model/cluster.h"

/// What would be if something were different: a changed copy of what was read, judged like it.
namespace dsdoctor::fixes {

/// Nodes by name, by a glob with `*`, or by labels.
struct NodePick {
  std::string text;  // as given
  std::string glob;  // of names; empty where labels pick
  std::vector<model::NodeSelectorRequirement> labels;
};

/// One thing that is different about nodes.
struct NodeEdit {
  enum class Kind { Taint, Untaint, Label, Unlabel, Cordon };
  Kind kind = Kind::Taint;
  NodePick nodes;
  model::Taint taint;  // Taint, Untaint; of the latter an empty effect is any
  model::Text key;     // Label, Unlabel
  model::Text value;   // Label
};

struct WhatIf {
  std::vector<model::Toleration> tolerations;  // of every DaemonSet asked about
  std::vector<NodeEdit> edits;                 // in the order in which they are made
  std::vector<model::Node> nodes;              // added
  std::vector<model::DaemonSet> daemon_sets;   // as if applied

  [[nodiscard]] bool empty() const {
    return tolerations.empty() && edits.empty() && nodes.empty() && daemon_sets.empty();
  }
};

/// The cluster with nodes and manifests changed. A manifest of a DaemonSet that is there replaces
/// its spec, and leaves its status and pods.
/// Errors: NotFound where an edit picks no node, or nothing of what it takes away is there;
/// Conflict where a node that is to be added is there already.
[[nodiscard]] base::Result<model::Cluster> with_changes(const model::Cluster& cluster,
                                                        const WhatIf& what_if);

/// Appends to the template those that it does not have yet, and gives them. Nothing is known of the
/// revision that it becomes, unless there are none.
std::vector<model::Toleration> tolerate(model::DaemonSet& ds,
                                        const std::vector<model::Toleration>& tolerations);

/// A node on which the verdict is another one.
struct Flip {
  model::Text node;
  std::optional<diagnosis::NodeVerdict> before;  // absent: no such node, or no such DaemonSet
  diagnosis::OwnNodeReport after;
};

/// What is different for one DaemonSet.
struct Consequence {
  model::Text ns;
  model::Text name;
  diagnosis::EvaluatedCounts before;
  /// Desired, current and misscheduled are settled: once rollout, evictions and deletions are done.
  /// Deletions that go on without the change are not counted in, being no effect of it.
  diagnosis::EvaluatedCounts after;
  Settled settled;             // where more is said of it; `deletes` without what goes anyway
  bool is_new = false;         // not there before
  bool is_active = true;       // the controller creates and deletes pods of it
  bool rolls = false;          // another template, and no OnDelete: a rolling update begins
  bool replaces_pods = false;  // it deletes pods of today and creates them again
  std::vector<Flip> flips;     // by node
  std::vector<model::Toleration> tolerated;  // imagined, at the end of the template's list
};

/// A DaemonSet in one state of the cluster, and what is reported of it there.
struct Judged {
  const model::DaemonSet* ds = nullptr;
  const diagnosis::DaemonSetReport* report = nullptr;
  const model::Cluster& cluster;
};

/// Both are of the same DaemonSet; `before` without one: it is not there yet.
[[nodiscard]] Consequence consequence(Judged before, Judged after, placement::FeatureGates gates);

/// What was asked, and what becomes of it.
struct Changed {
  std::vector<std::string> flags;  // as given: "--taint gpu-1=a:NoSchedule"
  std::vector<std::pair<model::Text, model::Text>> manifests;  // ns and name, as if applied
  std::vector<Consequence> consequences;                       // of every DaemonSet asked about
  std::vector<diagnosis::NodeLoad> added;                      // nodes that were added
  std::vector<std::string> without_causes;                     // as Today's
};

/// What would be.
struct Imagined {
  model::Cluster cluster;
  std::vector<const model::DaemonSet*> daemon_sets;  // into `cluster`; those asked about
  diagnosis::ReportOptions options;                  // today's; today's causes are kept by them
  Changed changed;
};
/// Who is asked about, of a cluster.
using Pick = std::function<std::vector<const model::DaemonSet*>(const model::Cluster&)>;

/// `asked` are of the reporter's cluster. Today's causes are kept where nothing changes: what would
/// be has no history to explain it by. Changed's `flags` are left to the caller.
/// Errors: as with_changes.
[[nodiscard]] base::Result<Imagined> imagine(const WhatIf& what_if, const Pick& pick,
                                             const diagnosis::Reporter& today,
                                             const std::vector<const model::DaemonSet*>& asked);

/// What becomes of the pods of a flip of `of`, as a clause: "its pod would be deleted"; empty where
/// nothing.
[[nodiscard]] std::string_view fate(const Consequence& of, const Flip& flip);

}  // namespace dsdoctor::fixes
