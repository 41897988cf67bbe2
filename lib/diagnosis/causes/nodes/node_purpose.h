#pragma once

#include <span>

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// What kind of node it is (virtual, Fargate, control plane, reserved for other workloads), if that
/// is why the DaemonSet has no pod there. `open`: taints of the node that are not tolerated.
void add_purpose(const NodeCase& of, std::span<const model::Taint* const> open, NodeRecord& record);

/// An eligible node without a real kubelet: every failure of the pod there follows from that.
void add_no_place_for_pods(const NodeCase& of, NodeRecord& record);

}  // namespace dsdoctor::diagnosis
