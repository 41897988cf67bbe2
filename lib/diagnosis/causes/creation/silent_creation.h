// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/findings/creation.h"
#include "diagnosis/report/cases.h"

/// Pods that the controller does not create, without a rejection.
namespace dsdoctor::diagnosis {

/// The only known fact is that the controller has not created a pod.
[[nodiscard]] finding::CreateSilent silence(bool may_back_off);

/// Reports that a node's pod is missing for no known reason: at most one finding. REQUIRES:
/// creation_findings() and predicted_creation_findings() found nothing.
[[nodiscard]] std::vector<Finding> silent_creation_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
