#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"

/// How far a DaemonSet reaches over the nodes, and what stops it.
namespace dsdoctor::diagnosis {

/// "taint gpu:NoSchedule", "node selector disk=ssd (the node has hdd)"
[[nodiscard]] std::string clause_text(const placement::Reason& reason);

/// The nodes that are kept out, by clause, most frequent first: "30 by taint gpu:NoSchedule".
[[nodiscard]] std::vector<std::string> obstacles(const DaemonSetReport& report);

/// The node that fails the fewest clauses; null where every node is wanted or there is none.
[[nodiscard]] const NodeReport* closest_node(const DaemonSetReport& report);

/// A label of the node selector that no node has, as "disk=ssd": nobody can ever be eligible.
[[nodiscard]] std::optional<std::string> label_of_no_node(const model::DaemonSet& ds,
                                                          const model::Cluster& cluster);

}  // namespace dsdoctor::diagnosis
