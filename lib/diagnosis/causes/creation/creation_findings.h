#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that the API server does not let the controller create.
namespace dsdoctor::diagnosis {

/// The newest refusal that the controller recorded, checked against the objects it speaks of: at
/// most one finding, and it explains every missing node immediately. Empty where no node is missing
/// a pod, or where a pod was created after the refusal.
[[nodiscard]] std::vector<Finding> creation_findings(const DaemonSetCase& c);

/// What would refuse the next pod, seen in the objects alone. Empty where no node is missing one.
[[nodiscard]] std::vector<Finding> predicted_creation_findings(const DaemonSetCase& c);

/// Of a node whose pod is missing for no known reason: at most one finding.
/// REQUIRES: the two above found nothing.
[[nodiscard]] std::vector<Finding> silent_creation_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
