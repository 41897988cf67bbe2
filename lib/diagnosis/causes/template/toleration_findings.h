// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Tolerations of a template that tolerate too much, too little or nothing.
namespace dsdoctor::diagnosis {

/// Reports actual problems: nodes on which the pod is unhealthy and which are eligible only because
/// of a toleration of every key; nodes excluded because the template tolerates only the old key of
/// the control plane's taint.
[[nodiscard]] std::vector<Finding> toleration_findings(const DaemonSetCase& c);

/// Reports information for a user who named this DaemonSet, without a problem: tolerations of every
/// key, tolerations that match no node's taint, pods without requests.
[[nodiscard]] std::vector<Finding> lint_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
