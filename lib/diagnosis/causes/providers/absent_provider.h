// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Pods of other owners that wait for what this DaemonSet provides, on nodes that are not eligible
/// for it: a finding for each thing that is lacking and each obstacle. A pod of the DaemonSet that
/// is missing or fails is another finding.
[[nodiscard]] std::vector<Finding> absent_provider_findings(const DaemonSetCase& of);

/// The finding that the pod waits for another DaemonSet, which has no ready pod on the node; absent
/// if it waits for nothing that a DaemonSet provides, or the provider is ready or not known.
[[nodiscard]] std::optional<Finding> absent_provider_of(const NodeCase& of, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
