#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fixes/target.h"
#include "fixes/template_change.h"
#include "fixes/toleration_patch.h"

namespace dsdoctor::fixes {

/// A change of nodes, as kubectl makes it.
struct NodeCommand {
  enum class Kind {
    Label,    // kubectl label node ... key=value
    Untaint,  // kubectl taint node ... key:effect-
  };
  Kind kind = Kind::Label;
  std::vector<model::Text> nodes;            // by name
  std::vector<model::Labels::Entry> labels;  // to set
  std::vector<model::Taint> taints;          // to take away; values play no part
  bool overwrites = false;                   // a label has another value today
};

/// What can be done instead of adding a toleration.
struct Alternative {
  /// Pods fail on nodes where none can run, which no pod there disproves, and nobody asks to have
  /// these eligible.
  bool recommended = false;
  std::string id;           // unique within its DaemonSet
  diagnosis::Message what;  // "exclude Fargate nodes by node affinity"
  diagnosis::Message risk;  // one sentence
  /// Exactly one of the two: a patch of the DaemonSet, or a command about nodes.
  std::optional<TemplateChange> change;
  std::optional<NodeCommand> nodes;
  Effect effect;  // on this DaemonSet
  std::optional<std::size_t> restarted_pods;
  bool on_delete = false;
  bool of_manifest = false;  // as Suggestion's
};

/// The nodes that have a label by which an alternative excludes nodes, looked up once a cluster.
/// Keeps a reference: the cluster must outlive it unchanged.
class ForeignNodes {
 public:
  static constexpr std::size_t kinds = 3;  // Fargate, virtual, Windows

  explicit ForeignNodes(const model::Cluster& cluster);

  [[nodiscard]] bool has_any(std::size_t kind) const { return any_[kind]; }
  /// `node` is the cluster's.
  [[nodiscard]] bool is(std::size_t kind, const model::Node& node) const {
    return labelled_[kind][static_cast<std::size_t>(&node - cluster_.nodes.data())];
  }

 private:
  const model::Cluster& cluster_;
  std::array<std::vector<bool>, kinds> labelled_;  // by the cluster's nodes
  std::array<bool, kinds> any_ = {};
};

/// What is read of a DaemonSet to find its fixes.
struct Patient {
  const model::DaemonSet& ds;
  const diagnosis::DaemonSetReport& report;  // of all nodes
  const diagnosis::Reporter& reporter;
  const ForeignNodes& foreign;  // of the reporter's cluster

  [[nodiscard]] const model::Cluster& cluster() const { return reporter.cluster(); }
  [[nodiscard]] placement::FeatureGates gates() const { return reporter.options().gates; }
};

/// Where a toleration is the wrong fix, or not the only one: keeping the pods off nodes that
/// cannot run them, narrowing a toleration of everything, letting the autoscaler evict the pod,
/// and, for nodes that were asked for by name, labelling or untainting them. What is about nodes is
/// offered where one of those that were asked for needs it.
[[nodiscard]] std::vector<Alternative> alternatives(const Patient& patient,
                                                    FixTarget::Kind asked_for,
                                                    const NodeFilter& is_asked);

/// Those of them that are labels and taints of nodes, where one command makes the nodes eligible.
/// Whoever keeps a taint would set it again: those, and affinities, which can be met in many ways,
/// have none.
void add_node_changes(const Patient& patient, const NodeFilter& is_asked,
                      std::vector<Alternative>& into);

}  // namespace dsdoctor::fixes
