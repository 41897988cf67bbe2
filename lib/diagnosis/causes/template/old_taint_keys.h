// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports tolerations of a key that was renamed (`renamed_to` in known_taints.yaml), without one
/// of the new key, if nodes can get the new taint: a node has it, or a label of the same component,
/// and no node has only the old one. A taint that marks the kind of a node is not reported: if it
/// excludes nodes, that is a finding of toleration_findings().
[[nodiscard]] std::vector<Finding> old_taint_key_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
