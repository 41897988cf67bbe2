#pragma once

#include <string>
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

/// The pods of one revision of the template.
struct RevisionCount {
  std::string hash;           // of label controller-revision-hash; empty where pods have none
  std::int64_t revision = 0;  // 0: no such ControllerRevision was read
  std::int64_t pods = 0;
  bool current = false;

  friend bool operator==(const RevisionCount&, const RevisionCount&) = default;
};

/// Pods by revision, the present one first, then by falling revision. Pods being deleted are left
/// out.
[[nodiscard]] std::vector<RevisionCount> revision_counts(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
