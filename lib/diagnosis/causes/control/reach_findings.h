// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports that no node is eligible, and nodes that a temporary state excludes. REQUIRES:
/// `of.report` has the findings of its nodes.
[[nodiscard]] std::vector<Finding> reach_findings(const DaemonSetCase& of);

/// Reports the nodes that the newest change of the template's placement excludes.
[[nodiscard]] std::vector<Finding> lost_node_findings(const DaemonSetCase& of);

/// Whether spec.nodeName of the template names a node that does not exist.
[[nodiscard]] bool is_pinned_to_no_node(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
