#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "advice/template_change.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::advice {

/// Tolerations to add to a DaemonSet's template, with what that changes.
struct Suggestion {
  std::string id;         // unique within its DaemonSet
  TemplateChange change;  // adds one toleration for each taint in the way
  Effect effect;
  /// A pod that stays unwanted is cured by it, and it is no state that passes by itself.
  bool recommended = false;
  /// Whether such a DaemonSet should tolerate these taints, by what is known of them.
  model::Advised advised = model::Advised::Depends;
  std::string purpose;  // one clause: what for
  std::string risk;     // one sentence
  std::string wait;     // one sentence: what ends it without any cure; empty where nothing does
  std::optional<std::size_t> restarted_pods;  // as restarted_pods()
  bool on_delete = false;                     // the strategy restarts nothing by itself
  /// The template has no tolerations yet, so the list has to be made.
  bool creates_list = false;
};

/// One suggestion for each set of taints that alone keeps the DaemonSet from nodes; none for nodes
/// that its node name, selector or affinity rules out. Recommended ones first, then those that
/// cure more nodes.
/// A toleration is as narrow as can be: key and effect of the taint, and its value unless that is
/// empty or differs from node to node (then `Exists`).
/// `report` is of all nodes, not a selection.
[[nodiscard]] std::vector<Suggestion> suggestions(const model::DaemonSet& ds,
                                                  const diagnosis::DaemonSetReport& report,
                                                  const model::Cluster& cluster,
                                                  placement::FeatureGates gates);

/// Leaves those that bring the DaemonSet to one of these nodes.
void keep_those_for(std::vector<Suggestion>& suggestions,
                    const std::unordered_set<std::string_view>& nodes);

using NodeFilter = std::function<bool(const diagnosis::NodeReport&)>;

/// The one smallest set of tolerations that cures every node of `asked` that tolerations can cure:
/// without any one of them fewer nodes are cured. Absent where there is no such node.
[[nodiscard]] std::optional<Suggestion> suggestion_for(const model::DaemonSet& ds,
                                                       const diagnosis::DaemonSetReport& report,
                                                       const model::Cluster& cluster,
                                                       placement::FeatureGates gates,
                                                       const NodeFilter& asked);

/// Nothing but taints keeps the DaemonSet from the node.
[[nodiscard]] bool is_curable(const diagnosis::NodeReport& node);

/// The toleration of just this taint: key and effect, and the value unless it is empty or differs
/// from node to node.
[[nodiscard]] model::Toleration narrowest(const model::Taint& taint, std::string_view node_name);

}  // namespace dsdoctor::advice
