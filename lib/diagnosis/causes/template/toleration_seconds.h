// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports which tolerationSeconds of the template for nodes that are not Ready or unreachable have
/// an effect. The DaemonSet controller adds tolerations of both taints without seconds: one
/// replaces an entry of the template with the same key, operator, effect and value, else it is
/// appended. The taint eviction controller uses the first toleration that matches a taint.
/// `loops`: such an eviction is reported for a node.
/// Source of truth: AddOrUpdateDaemonPodTolerations, AddOrUpdateTolerationInPodSpec,
/// GetMatchingTolerations and getMinTolerationTime, kubernetes v1.36.2,
/// pkg/controller/daemon/util/daemonset_util.go, pkg/apis/core/v1/helper/helpers.go,
/// pkg/controller/tainteviction/taint_eviction.go.
[[nodiscard]] std::vector<Finding> toleration_seconds_findings(const DaemonSetCase& c, bool loops);

}  // namespace dsdoctor::diagnosis
