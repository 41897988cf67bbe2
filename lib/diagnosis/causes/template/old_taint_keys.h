// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports templates that tolerate a renamed key (`renamed_to` in known_taints.yaml), but not the
/// new one, if a node has the new taint, or if no node has the old one and a label shows that the
/// component is in use. Leaves out taints that mark the kind of a node: if one excludes nodes,
/// toleration_findings() reports it.
[[nodiscard]] std::vector<Finding> old_taint_key_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
