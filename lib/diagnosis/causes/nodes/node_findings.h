// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports problems of the node itself that affect the DaemonSet's pod there: why the node is not
/// eligible, or why the pod on it is not ready. With `asked`, also findings that only describe an
/// intentionally excluded node (control plane, reserved pool, virtual).
[[nodiscard]] std::vector<Finding> node_findings(const NodeCase& of, bool asked);

}  // namespace dsdoctor::diagnosis
