// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/causes/control/meant_label.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why a DaemonSet has no eligible node.
enum class Idleness {
  Intended,    // the label is absent now, or has been absent for a long time
  Misspelled,  // probably; its author is still working on it
  Unexpected,
};

/// Intended only if the DaemonSet has no pods, its status agrees, and a label excludes every node:
/// one that nodes have at times (a node pool, spot nodes, hardware), one that keeps the DaemonSet
/// at zero, or any if nothing changed recently. Events that the controller created or deleted pods
/// on present nodes disprove it, and so does a recent change of the template that excluded nodes,
/// or a label that only has another spelling, name or state on a node. `meant`: of this DaemonSet.
[[nodiscard]] Idleness idleness_of(const DaemonSetCase& of, const std::optional<MeantLabel>& meant);

/// Whether the node selector is written to match no node: Flagger's scale-to-zero, non-existing.
[[nodiscard]] bool is_kept_at_zero(const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
