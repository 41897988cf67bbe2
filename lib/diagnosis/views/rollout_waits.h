// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/report.h"
#include "model/text.h"

namespace dsdoctor::diagnosis {

/// An object that a rollout waits for.
struct RolloutWait {
  ObjectRef object;  // the pod; the Node if it has none; the DaemonSet if its spec is not observed
  model::Text node;  // empty for the DaemonSet
  Message why;
};

/// The objects that `kubectl rollout status`, and tools that wait for a DaemonSet, wait for: the
/// DaemonSet until its spec is observed, and each eligible node without an available pod of the
/// current template. Sorted by node. Empty once the rollout is complete, and if the DaemonSet is
/// being deleted; absent if not all nodes and pods were read, or if the current template's pods
/// are not known. Source of truth: kubectl v0.37.2,
/// pkg/polymorphichelpers/rollout_status.go.
[[nodiscard]] std::optional<std::vector<RolloutWait>> rollout_waits(const DaemonSetReport& report);

}  // namespace dsdoctor::diagnosis
