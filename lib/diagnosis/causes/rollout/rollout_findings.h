// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that run an older template, and why they have not been replaced.
namespace dsdoctor::diagnosis {

/// Reports the progress of a template change: paced, or stuck with the cause; with OnDelete, the
/// pods that must be deleted. Empty if every pod is of the current template or the controller has
/// not observed the newest one yet. `creates_pods`: whether the controller creates pods, according
/// to other findings.
[[nodiscard]] std::vector<Finding> rollout_findings(const DaemonSetCase& c, bool creates_pods);

/// Whether outdated pods could be replaced now within the rolling update's budget but none has been
/// for a quarter of an hour, and this became overdue only during the last `silence` of the
/// controller.
[[nodiscard]] bool neglects_rollout(const DaemonSetCase& c, model::Time::duration silence);

}  // namespace dsdoctor::diagnosis
