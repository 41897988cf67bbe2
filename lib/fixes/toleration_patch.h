// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/effects/template_change.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::fixes {

/// Tolerations to add to a DaemonSet's template, with their effect.
struct Suggestion {
  std::string id;         // unique within its DaemonSet
  TemplateChange change;  // adds a toleration for each blocking taint
  Effect effect;
  /// The suggestion makes a node eligible whose misscheduled pod stays, or breaks a circle of
  /// startup taints; the problem of that node does not resolve without action, the taints are known
  /// and nothing known of them forbids it, each toleration is for such a node, and the rolling
  /// update can finish. Also set for the best suggestion if a DaemonSet has no eligible node by
  /// mistake. At most one suggestion of a DaemonSet is recommended.
  bool recommended = false;
  /// Yes if and only if it is recommended. No: such DaemonSets should not tolerate these taints.
  model::Advised advised = model::Advised::Depends;
  diagnosis::Message purpose;                 // a clause
  diagnosis::Message risk;                    // a sentence
  std::optional<diagnosis::Message> wait;     // how it resolves; absent if it needs action
  std::optional<std::size_t> restarted_pods;  // as restarted_pods()
  bool on_delete = false;                     // the strategy does not restart pods
  /// The template has no tolerations yet, so the patch creates the list.
  bool creates_list = false;
  bool of_manifest = false;  // to be changed instead: the cluster has another template or none
};

struct Suggestions {
  std::vector<Suggestion> offered;
  /// For taints that such DaemonSets should not tolerate, and for which the catalogue suggests no
  /// toleration. Only offered if their nodes are requested.
  std::vector<Suggestion> withheld;
};

/// One suggestion for each set of taints that alone keeps the DaemonSet from nodes; none for nodes
/// that its node name, selector or affinity excludes, for Fargate and virtual nodes, or if the
/// controller does not act on the DaemonSet. If several are needed, one more contains all of them,
/// and only that one is recommended. The recommended suggestion is first, then those that make more
/// nodes eligible. A toleration is as narrow as possible: key and effect of the taint, and its
/// value unless that is empty or differs from node to node (then `Exists`). `report` covers all
/// nodes, not a selection; `ds` belongs to the reporter's cluster.
[[nodiscard]] Suggestions suggestions(const diagnosis::Reporter& reporter,
                                      const model::DaemonSet& ds,
                                      const diagnosis::DaemonSetReport& report);

/// The suggestions that make one of these nodes eligible.
[[nodiscard]] std::vector<Suggestion> those_for(std::vector<Suggestion> suggestions,
                                                const std::unordered_set<std::string_view>& nodes);

/// The number of suggestions after the first `told` that make other nodes eligible.
[[nodiscard]] std::size_t count_for_other_nodes(const std::vector<Suggestion>& suggestions,
                                                std::size_t told);

using NodeFilter = std::function<bool(const diagnosis::NodeReport&)>;

/// The smallest set of tolerations that makes every node of `asked` eligible for which tolerations
/// suffice: without any one of them fewer nodes are eligible. Absent if there is no such node.
[[nodiscard]] std::optional<Suggestion> suggestion_for(const diagnosis::Reporter& reporter,
                                                       const model::DaemonSet& ds,
                                                       const diagnosis::DaemonSetReport& report,
                                                       const NodeFilter& asked);

/// A toleration of just this taint: key and effect, and the value unless it is empty or differs
/// from node to node.
[[nodiscard]] model::Toleration narrowest(const model::Taint& taint, std::string_view node_name);

}  // namespace dsdoctor::fixes
