// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "render/words/style.h"

/// Parts that the text reports share.
namespace dsdoctor::render {

/// Placements with a verdict, by the action that their problems need.
struct ActionCounts {
  std::size_t needed = 0;
  std::size_t overdue = 0;
  std::size_t none = 0;
};

/// "! MISSCHEDULED", padded to `width` columns of the verdict's name. Mark and color depend on the
/// action. A running pod is marked as unknown if the nodes were not read, because it may be
/// misscheduled.
[[nodiscard]] std::string verdict_label(diagnosis::NodeVerdict verdict,
                                        const diagnosis::DaemonSetReport& report,
                                        const ActionCounts& actions, std::size_t width,
                                        const Style& style);
/// "resolves without action", "1 is overdue, 2 resolve without action"; empty if all need action.
[[nodiscard]] std::string action_clause(const ActionCounts& actions);
/// The meaning of a verdict for this DaemonSet, in a clause; empty for a running pod of an eligible
/// node.
[[nodiscard]] std::string_view verdict_meaning(diagnosis::NodeVerdict verdict,
                                               const diagnosis::DaemonSetReport& report);

[[nodiscard]] Color verdict_color(diagnosis::NodeVerdict verdict);

/// "a, b, c and 4 more"
[[nodiscard]] std::string name_list(const std::vector<model::Text>& names);
/// The same, but all names if `style` lists every node.
[[nodiscard]] std::string name_list(const std::vector<model::Text>& names, const Style& style);

/// "pod datadog-agent-5bgcx, ready"; empty without pods.
[[nodiscard]] std::string pods_clause(const std::vector<diagnosis::PodReport>& pods);

/// The taints that the answer has already explained.
using ExplainedTaints = std::set<const model::KnownTaint*>;

/// The reasons of a group, a line each, and the findings of its nodes.
[[nodiscard]] std::string reason_lines(const diagnosis::NodeGroup& group,
                                       const diagnosis::NodeReports& nodes,
                                       ExplainedTaints& explained, std::size_t indent,
                                       const Presentation& style);
/// The same for one node.
[[nodiscard]] std::string reason_lines(const diagnosis::NodeReport& node,
                                       ExplainedTaints& explained, std::size_t indent,
                                       const Presentation& style);

/// The reasons of a group as sentences, each with an explanation of its taint.
[[nodiscard]] std::vector<std::string> reason_sentences(const diagnosis::NodeGroup& group,
                                                        ExplainedTaints& explained);
[[nodiscard]] std::vector<std::string> reason_sentences(const diagnosis::NodeReport& node,
                                                        ExplainedTaints& explained);

/// A sentence for each omission: the data that could not be read, and what the answer lacks.
[[nodiscard]] std::vector<std::string> omission_sentences(
    const std::vector<model::Omission>& omissions);
/// The same, wrapped.
[[nodiscard]] std::string omission_lines(const std::vector<model::Omission>& omissions,
                                         const Style& style);

/// "27 nodes", or "2 of 27 nodes" for a selection.
[[nodiscard]] std::string nodes_clause(const diagnosis::DaemonSetReport& report);

/// "    Kubernetes v1.36.2    context prod"; empty if both are unknown.
[[nodiscard]] std::string cluster_suffix(const model::SourceInfo& source);

/// Counts of objects in files, beside nodes and pods: "812 events", "9 revisions". Empty for a
/// live cluster, of which only what the answer needs is read.
[[nodiscard]] std::vector<std::string> counts_of_input(const model::SourceInfo& source);

/// "    27 nodes    Kubernetes v1.36.2    context prod"
[[nodiscard]] std::string scope_suffix(std::size_t nodes, const model::SourceInfo& source);
[[nodiscard]] std::string scope_suffix(const std::string& nodes, const model::SourceInfo& source);

/// "server", "kubelets", "assumed"
[[nodiscard]] std::string_view to_string(model::ReleaseSource source);
/// "override", "release", "counters", "rejection", "stored-object", "default"
[[nodiscard]] std::string_view to_string(diagnosis::GateSource source);

/// "those of Kubernetes 1.37.2, the version of the API server"
[[nodiscard]] std::string release_text(const model::ClusterRelease& of);

/// "rules: those of Kubernetes 1.37.2, ...; feature gate X is off ..."
[[nodiscard]] std::string rules_line(const diagnosis::RulesTaken& rules);

}  // namespace dsdoctor::render
