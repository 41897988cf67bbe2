#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

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
/// The same as phrases.
[[nodiscard]] std::vector<Message> pods_by_revision(const DaemonSetCase& c);

/// One pod of each revision.
[[nodiscard]] std::vector<Evidence> revision_evidence(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
