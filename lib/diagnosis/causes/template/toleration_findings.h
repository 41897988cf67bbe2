#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Tolerations of a template that do too much, too little or nothing.
namespace dsdoctor::diagnosis {

/// Of trouble that is there: nodes on which the pod is unhealthy and eligible only because of a
/// toleration of every key; nodes that only the old key of the control plane's taint leaves out.
[[nodiscard]] std::vector<Finding> toleration_findings(const DaemonSetCase& c);

/// Worth a word to whoever asked for this DaemonSet by name, and no trouble: tolerations of every
/// key, tolerations of no taint that any node has, pods without requests.
[[nodiscard]] std::vector<Finding> lint_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
