// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports the kind of node (virtual, Fargate, control plane, reserved for other workloads) if it
/// is the reason why the DaemonSet has no pod there. `open`: the node's untolerated taints.
void add_purpose(const NodeCase& of, std::span<const model::Taint* const> open, NodeRecord& record);

/// Reports an eligible node without a real kubelet, the cause of every failure of the pod there.
void add_no_place_for_pods(const NodeCase& of, NodeRecord& record);

}  // namespace dsdoctor::diagnosis
