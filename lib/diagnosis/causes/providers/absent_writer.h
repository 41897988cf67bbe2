// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports labels that this DaemonSet writes or waits for, and that are missing because the writer
/// is kept off the nodes (providers/label_wait.h).
[[nodiscard]] std::vector<Finding> absent_writer_findings(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
