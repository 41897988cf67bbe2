#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Of a node that fails the node selector or the affinity: whether a label has changed, by whom and
/// when at the latest; with `asked` also that it merely lacks one. Of a node that misses its pod:
/// whether it has become eligible moments ago.
[[nodiscard]] std::vector<Finding> label_findings(const NodeCase& of, bool asked);

}  // namespace dsdoctor::diagnosis
