// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The pods of one revision of the template.
struct RevisionCount {
  std::string hash;           // label controller-revision-hash; empty if the pods have none
  std::int64_t revision = 0;  // 0: no such ControllerRevision was read
  std::int64_t pods = 0;
  bool current = false;

  friend bool operator==(const RevisionCount&, const RevisionCount&) = default;
};

/// Pods by revision, the current revision first, then newest to oldest. Terminating pods are
/// excluded.
[[nodiscard]] std::vector<RevisionCount> revision_counts(const DaemonSetCase& c);
/// The same counts as phrases.
[[nodiscard]] std::vector<Message> pods_by_revision(const DaemonSetCase& c);

/// Evidence from one pod of each revision.
[[nodiscard]] std::vector<Evidence> revision_evidence(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
