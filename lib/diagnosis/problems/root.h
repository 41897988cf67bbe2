// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// The root of a finding about a DaemonSet, or about a DaemonSet on `node`, which may be null. A
/// root of kind Node has no name, because several nodes with the same finding are one problem.
/// `alike`: number of nodes of the DaemonSet with this finding; for a root "node-or-daemonset" the
/// nodes are the root if they are few.
[[nodiscard]] Root root_of(const Finding& finding, const DaemonSetReport& report,
                           const NodeReport* node, std::size_t alike = 0);

/// The first taint that excludes the node: "dedicated=gpu:NoSchedule"; empty if there is none.
[[nodiscard]] std::string open_taint_text(const NodeReport& node);

/// "namespace/name" without empty parts.
[[nodiscard]] std::string name_of(const Root& root);
/// "kind/namespace/name" without empty parts.
[[nodiscard]] std::string root_text(const Root& root);

}  // namespace dsdoctor::diagnosis
