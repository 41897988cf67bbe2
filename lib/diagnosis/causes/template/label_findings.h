// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// For a node that fails the node selector or the affinity, reports whether a label has changed,
/// its writer and the latest possible time; with `asked`, also that a label is missing. For a node
/// without its pod, reports whether it became eligible moments ago.
[[nodiscard]] std::vector<Finding> label_findings(const NodeCase& of, bool asked);

}  // namespace dsdoctor::diagnosis
