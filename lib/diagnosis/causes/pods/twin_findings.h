// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Static pods and other DaemonSets that run the program of a DaemonSet on the same node: every
/// container of one of them has an image of the same name as one of the other.
namespace dsdoctor::diagnosis {

/// Reports that the pod on the node fails while the same program runs there a second time and both
/// use the network of the node or a common host port: as the cause if they share a host port or the
/// pod says that its port is taken, else for information; without such a program, a static pod of
/// the same program or with a common host port. REQUIRES: the node's verdict is not Running.
[[nodiscard]] std::vector<Finding> twin_findings_on(const NodeCase& c);

/// Reports the nodes on which the program runs twice: an error where a static pod fails, else for
/// information.
[[nodiscard]] std::vector<Finding> twin_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
