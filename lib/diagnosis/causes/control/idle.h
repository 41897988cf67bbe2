// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Whether a DaemonSet without an eligible node is in an expected state. It has no pods, its status
/// agrees, and the label that excludes every node is currently absent (a node pool, spot nodes,
/// hardware) or has been absent for a long time; no label of a node is similar to it.
[[nodiscard]] bool is_idle_by_design(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
