#pragma once

#include <string>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// Of a finding about a DaemonSet, or about it on `node`, which may be null. Several nodes with the
/// same finding have one problem, so that a Node's name is not part of it. `alike`: nodes of the
/// DaemonSet with such a finding; where they are few of its nodes, the nodes are the root of what
/// depends on both.
[[nodiscard]] Root root_of(const Finding& finding, const DaemonSetReport& report,
                           const NodeReport* node, std::size_t alike = 0);

/// The first taint that keeps the DaemonSet off the node: "dedicated=gpu:NoSchedule"; may be empty.
[[nodiscard]] std::string open_taint_text(const NodeReport& node);

/// "namespace/name" without what is empty.
[[nodiscard]] std::string name_of(const Root& root);
/// "kind/namespace/name" without what is empty.
[[nodiscard]] std::string root_text(const Root& root);

}  // namespace dsdoctor::diagnosis
