// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

/// Pods that have been outdated for a long time.
struct ParkedPods {
  std::int64_t pods = 0;
  // Those of the pods that have been outdated the longest:
  std::int64_t older = 0;       // the revision
  std::int64_t newer = 0;       // its successor
  model::Time::duration age{};  // since the newer revision was created

  friend bool operator==(const ParkedPods&, const ParkedPods&) = default;
};

/// The pods of `outdated` whose newer revision is at least `least` old; absent if there are no such
/// pods, or if the revisions were not read. A rollback makes an old revision the current one, and
/// its creation time then proves nothing.
[[nodiscard]] std::optional<ParkedPods> parked_pods(const DaemonSetCase& c,
                                                    const std::vector<const model::Pod*>& outdated,
                                                    model::Time::duration least);

/// Evidence from one pod of each revision.
[[nodiscard]] std::vector<Evidence> revision_evidence(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
