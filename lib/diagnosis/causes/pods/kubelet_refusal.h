// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/causes/pods/refusal_story.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The finding about the rejection, with the current state of the node and the pod.
[[nodiscard]] Finding refusal_finding(const NodeCase& c, const KubeletRefusal& refusal);

/// Whether the event's pod still exists and does not belong to this DaemonSet.
[[nodiscard]] bool belongs_to_another(const DaemonSetCase& c, const model::Event& event);

}  // namespace dsdoctor::diagnosis
