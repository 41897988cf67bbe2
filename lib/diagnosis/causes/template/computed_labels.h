// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports labels that the template requires and that a controller computes, such as those of
/// node-feature-discovery: the pod is deleted when the controller changes the label. The writer is
/// known by managedFields or by the key. Labels of the kubelet, of the cloud provider, of node
/// pools and of users are not reported.
[[nodiscard]] std::vector<Finding> computed_label_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
