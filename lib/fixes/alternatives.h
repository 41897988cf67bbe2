// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fixes/effects/template_change.h"
#include "fixes/target.h"
#include "fixes/toleration_patch.h"

namespace dsdoctor::fixes {

/// A change of nodes by a kubectl command.
struct NodeCommand {
  enum class Kind {
    Label,    // kubectl label node ... key=value
    Untaint,  // kubectl taint node ... key:effect-
  };
  Kind kind = Kind::Label;
  std::vector<model::Text> nodes;            // by name
  std::vector<model::Labels::Entry> labels;  // to set
  std::vector<model::Taint> taints;          // to remove; values are ignored
  bool overwrites = false;                   // a label has another value now
};

/// A fix other than adding a toleration.
struct Alternative {
  /// Set if pods fail on nodes that cannot run them, no ready pod there proves otherwise, and these
  /// nodes were not requested.
  bool recommended = false;
  std::string id;           // unique within its DaemonSet
  diagnosis::Message what;  // "exclude Fargate nodes by node affinity"
  diagnosis::Message risk;  // one sentence
  /// Exactly one of the two is set: a patch of the DaemonSet, or a command for nodes.
  std::optional<TemplateChange> change;
  std::optional<NodeCommand> nodes;
  Effect effect;  // on this DaemonSet
  std::optional<std::size_t> restarted_pods;
  bool on_delete = false;
  bool of_manifest = false;  // as in Suggestion
};

/// The nodes that have a label by which an alternative excludes nodes, looked up once per cluster.
/// Keeps a reference: the cluster must outlive it unchanged.
class ForeignNodes {
 public:
  static constexpr std::size_t kinds = 3;  // Fargate, virtual, Windows

  explicit ForeignNodes(const model::Cluster& cluster);

  [[nodiscard]] bool has_any(std::size_t kind) const { return any_[kind]; }
  /// REQUIRES: `node` is an element of the cluster's nodes.
  [[nodiscard]] bool is(std::size_t kind, const model::Node& node) const {
    return labelled_[kind][static_cast<std::size_t>(&node - cluster_.nodes.data())];
  }

 private:
  const model::Cluster& cluster_;
  std::array<std::vector<bool>, kinds> labelled_;  // indexes are those of the cluster's nodes
  std::array<bool, kinds> any_ = {};
};

/// The input of a search for the fixes of a DaemonSet.
struct Patient {
  const model::DaemonSet& ds;
  const diagnosis::DaemonSetReport& report;  // of all nodes
  const diagnosis::Reporter& reporter;
  const ForeignNodes& foreign;  // of the reporter's cluster

  [[nodiscard]] const model::Cluster& cluster() const { return reporter.cluster(); }
  [[nodiscard]] placement::FeatureGates gates() const { return reporter.options().gates; }
};

/// Fixes for cases in which a toleration is wrong, or is not the only fix: keep the pods off nodes
/// that cannot run them, narrow a toleration of everything, let the autoscaler evict the pod, and,
/// for nodes that were requested by name, label or untaint them. Fixes about nodes are only offered
/// if a requested node needs them.
[[nodiscard]] std::vector<Alternative> alternatives(const Patient& patient,
                                                    FixTarget::Kind asked_for,
                                                    const NodeFilter& is_asked);

/// The fixes by labels and taints of nodes, if one command makes the nodes eligible. Excluded are
/// taints that their controller would set again, and affinities, which can be satisfied in many
/// ways.
void add_node_changes(const Patient& patient, const NodeFilter& is_asked,
                      std::vector<Alternative>& into);

/// The removal of taints about which nothing is known, from nodes with a misscheduled pod. Only
/// taints that few nodes of the cluster have, as if somebody added them by hand, and only the first
/// few of these.
void add_removals_of_unknown_taints(const Patient& patient, const NodeFilter& is_asked,
                                    std::vector<Alternative>& into);

}  // namespace dsdoctor::fixes
