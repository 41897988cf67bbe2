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

/// Whether the rolling update's budget allows to replace outdated pods now, but none has been
/// replaced for a quarter of an hour, which only the controller's `silence` explains.
[[nodiscard]] bool neglects_rollout(const DaemonSetCase& c, model::Time::duration silence);

}  // namespace dsdoctor::diagnosis
