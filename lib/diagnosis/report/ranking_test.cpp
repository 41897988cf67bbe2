// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/ranking.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::diagnosis;

namespace {

Finding of(FindingId id, Severity severity, Basis basis = Basis::Confirmed) {
  Finding finding;
  finding.id = id;
  finding.severity = severity;
  finding.basis = basis;
  finding.standing = Standing::Also;
  return finding;
}

std::vector<FindingId> ranked(std::vector<Finding> findings, NodeVerdict verdict) {
  rank(findings, verdict);
  std::vector<FindingId> result;
  for (const Finding& finding : findings) result.push_back(finding.id);
  return result;
}

using FindingIds = std::vector<FindingId>;
using enum FindingId;

}  // namespace

TEST_CASE("an earlier stage comes before a more severe finding of a later one", "[diagnosis]") {
  CHECK(ranked({of(ContainerCrash, Severity::Error), of(ImagePull, Severity::Warning)},
               NodeVerdict::NotReady) == FindingIds{ImagePull, ContainerCrash});
}

TEST_CASE("within a stage confirmed findings come first and then more severe ones", "[diagnosis]") {
  CHECK(ranked({of(SchedTaint, Severity::Error, Basis::Reported),
                of(SchedHostPort, Severity::Warning), of(SchedNodeSelector, Severity::Error)},
               NodeVerdict::Pending) == FindingIds{SchedNodeSelector, SchedHostPort, SchedTaint});
}

TEST_CASE("findings that the primary cause implies are dropped", "[diagnosis]") {
  CHECK(ranked({of(ProbeFailing, Severity::Error), of(NodeNotReady, Severity::Error)},
               NodeVerdict::NotReady) == FindingIds{NodeNotReady});
  CHECK(ranked({of(SchedulerWaiting, Severity::Warning), of(SchedulerDown, Severity::Critical)},
               NodeVerdict::Pending) == FindingIds{SchedulerDown});
}

TEST_CASE("pressure is ranked before the rejections that it causes and after others",
          "[diagnosis]") {
  const Finding pressure = of(NodeDiskPressure, Severity::Error);
  CHECK(ranked({of(KubeletPressureRefused, Severity::Error), pressure}, NodeVerdict::Failed) ==
        FindingIds{NodeDiskPressure, KubeletPressureRefused});
  CHECK(ranked({pressure, of(KubeletNodePorts, Severity::Error)}, NodeVerdict::Failed) ==
        FindingIds{KubeletNodePorts, NodeDiskPressure});
  Finding evicted = of(KubeletEvicted, Severity::Error);
  CHECK(ranked({evicted, pressure}, NodeVerdict::Failed) ==
        FindingIds{NodeDiskPressure, KubeletEvicted});
  evicted.group = evicted_by_own_limit;
  CHECK(ranked({pressure, evicted}, NodeVerdict::Failed) ==
        FindingIds{KubeletEvicted, NodeDiskPressure});
}

TEST_CASE("an overdue terminating pod comes before the label change that excluded it",
          "[diagnosis]") {
  Finding stuck = of(PodTerminatingStuck, Severity::Error);
  const Finding label = of(NodeLabelChanged, Severity::Error);
  CHECK(ranked({label, stuck}, NodeVerdict::Removing) ==
        FindingIds{PodTerminatingStuck, NodeLabelChanged});
  stuck.severity = Severity::Warning;
  CHECK(ranked({stuck, label}, NodeVerdict::Removing) ==
        FindingIds{NodeLabelChanged, PodTerminatingStuck});
}

TEST_CASE("an informational finding is primary if it describes the node", "[diagnosis]") {
  std::vector<Finding> findings = {of(NodeFargate, Severity::Info)};
  rank(findings, NodeVerdict::Excluded);
  CHECK(findings.front().standing == Standing::Primary);
  findings = {of(ImagePulling, Severity::Info), of(ProbeFailing, Severity::Warning)};
  rank(findings, NodeVerdict::NotReady);
  CHECK(findings.front().id == ProbeFailing);
  findings = {of(NodeCordoned, Severity::Error)};
  rank(findings, NodeVerdict::Pending);
  CHECK(findings.front().standing == Standing::Context);
}
