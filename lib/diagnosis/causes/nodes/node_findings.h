#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// What is the matter with the node itself, as far as it bears on the DaemonSet's pod there: why it
/// is not eligible, or why the pod on it is not ready. With `asked`, also what merely describes a
/// node that is kept out on purpose (control plane, reserved pool, virtual).
[[nodiscard]] std::vector<Finding> node_findings(const NodeCase& of, bool asked);

}  // namespace dsdoctor::diagnosis
