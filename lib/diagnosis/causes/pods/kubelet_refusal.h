#pragma once

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/causes/pods/refusal_story.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// With what the node and the pod show about that reason now.
[[nodiscard]] Finding refusal_finding(const NodeCase& c, const KubeletRefusal& refusal);

/// The pod of the event still exists, and is not this DaemonSet's.
[[nodiscard]] bool belongs_to_another(const DaemonSetCase& c, const model::Event& event);

}  // namespace dsdoctor::diagnosis
