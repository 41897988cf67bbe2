#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/target.h"
#include "advice/template_change.h"
#include "diagnosis/taints/taint_catalogue.h"

namespace dsdoctor::advice {

/// A change of nodes, as kubectl makes it.
struct NodeChange {
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
  std::string id;    // unique within its DaemonSet
  std::string what;  // "keep it off Fargate nodes"
  std::string risk;  // one sentence
  /// Exactly one of the two: a patch of the DaemonSet, or a command about nodes.
  std::optional<TemplateChange> change;
  std::optional<NodeChange> nodes;
  Effect effect;  // on this DaemonSet
  std::optional<std::size_t> restarted_pods;
  bool on_delete = false;
};

/// What is read of a DaemonSet to find its fixes.
struct Patient {
  const model::DaemonSet& ds;
  const diagnosis::DaemonSetReport& report;  // of all nodes
  const model::Cluster& cluster;
  placement::FeatureGates gates;
  const diagnosis::TaintCatalogue& taints;
};

/// Where a toleration is the wrong fix, or not the only one: keeping the pods off nodes that
/// cannot run them, narrowing a toleration of everything, letting the autoscaler evict the pod,
/// and, for nodes that were asked for, labelling or untainting them.
[[nodiscard]] std::vector<Alternative> alternatives(const Patient& patient, const Target& target);

}  // namespace dsdoctor::advice
