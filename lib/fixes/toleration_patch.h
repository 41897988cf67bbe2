#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/template_change.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::fixes {

/// Tolerations to add to a DaemonSet's template, with what that changes.
struct Suggestion {
  std::string id;         // unique within its DaemonSet
  TemplateChange change;  // adds one toleration for each taint in the way
  Effect effect;
  /// It makes a node eligible whose misscheduled pod stays, or breaks a circle of startup taints:
  /// and the problem of that node does not resolve without action, and nothing known of the taints
  /// speaks against it; each toleration is for such a node. The best one, too, where the DaemonSet
  /// has no eligible node by mistake. At most one of a DaemonSet's.
  bool recommended = false;
  /// Yes if and only if it is recommended. No: such DaemonSets should not tolerate these taints.
  model::Advised advised = model::Advised::Depends;
  diagnosis::Message purpose;                 // one clause: what for
  diagnosis::Message risk;                    // one sentence
  std::optional<diagnosis::Message> wait;     // how it resolves; absent where it needs action
  std::optional<std::size_t> restarted_pods;  // as restarted_pods()
  bool on_delete = false;                     // the strategy restarts nothing by itself
  /// The template has no tolerations yet, so the list has to be made.
  bool creates_list = false;
  bool of_manifest = false;  // which is to be changed: the cluster has another template, or none
};

struct Suggestions {
  std::vector<Suggestion> offered;
  /// Of taints that such DaemonSets should not tolerate, and for which what is known suggests no
  /// toleration. They are for who asks for their nodes.
  std::vector<Suggestion> withheld;
};

/// One suggestion for each set of taints that alone keeps the DaemonSet from nodes; none for nodes
/// that its node name, selector or affinity rules out, for Fargate and virtual nodes, and where the
/// controller does not act on the DaemonSet. Where several are needed, one more holds all of these,
/// and it alone is recommended. The recommended one first, then those that make more nodes
/// eligible. A toleration is as narrow as can be: key and effect of the taint, and its value unless
/// that is empty or differs from node to node (then `Exists`). `report` is of all nodes, not a
/// selection; `ds` is of the reporter's cluster.
[[nodiscard]] Suggestions suggestions(const diagnosis::Reporter& reporter,
                                      const model::DaemonSet& ds,
                                      const diagnosis::DaemonSetReport& report);

/// The suggestions that make one of these nodes eligible.
[[nodiscard]] std::vector<Suggestion> those_for(std::vector<Suggestion> suggestions,
                                                const std::unordered_set<std::string_view>& nodes);

/// How many of those after the first `told` make a node eligible that these do not.
[[nodiscard]] std::size_t count_for_other_nodes(const std::vector<Suggestion>& suggestions,
                                                std::size_t told);

using NodeFilter = std::function<bool(const diagnosis::NodeReport&)>;

/// The one smallest set of tolerations that makes every node of `asked` eligible that tolerations
/// can make so: without any one of them fewer nodes are. Absent where there is no such node.
[[nodiscard]] std::optional<Suggestion> suggestion_for(const diagnosis::Reporter& reporter,
                                                       const model::DaemonSet& ds,
                                                       const diagnosis::DaemonSetReport& report,
                                                       const NodeFilter& asked);

/// The toleration of just this taint: key and effect, and the value unless it is empty or differs
/// from node to node.
[[nodiscard]] model::Toleration narrowest(const model::Taint& taint, std::string_view node_name);

}  // namespace dsdoctor::fixes
