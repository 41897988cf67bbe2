// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/cluster.h"
#include "question/named.h"

namespace dsdoctor::cmd {

/// The object whose explanation answers for a pod that no DaemonSet owns: the DaemonSet that
/// provides what the pod waits for, on the pod's node, else that node. `pod`: as from meant_by().
/// Errors: NotFound for a pod that is not bound to a node and waits for nothing that a DaemonSet
/// provides, with the scheduler's message.
[[nodiscard]] base::Result<Meant> lead_of(const Meant& pod, const model::Cluster& cluster);

}  // namespace dsdoctor::cmd
