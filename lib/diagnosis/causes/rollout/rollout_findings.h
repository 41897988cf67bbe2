#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that still run an older template, and what keeps them.
namespace dsdoctor::diagnosis {

/// How a change of the template gets on: paced, or stuck with what holds it; with OnDelete, which
/// pods wait to be deleted. Empty where every pod is of the current template, and where the
/// controller has not seen the newest one yet. `creates_pods`: as far as other findings tell, the
/// controller creates pods.
[[nodiscard]] std::vector<Finding> rollout_findings(const DaemonSetCase& c, bool creates_pods);

/// Pods of an older template could be replaced now, by the budget of the rolling update, and have
/// not been for a quarter of an hour, as long as which nothing but the last `silence` can explain.
[[nodiscard]] bool neglects_rollout(const DaemonSetCase& c, model::Time::duration silence);

}  // namespace dsdoctor::diagnosis
