// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// How one field of the pods differs from the value that the template and Kubernetes itself
/// produce.
struct PodDrift {
  std::string field;             // "nodeSelector", "tolerations", "requests", ...
  std::string container;         // the container with these requests; else empty
  std::vector<Message> changes;  // both values
  bool decides = false;      // another decision about a node, or a toleration in effect is missing
  bool unscheduled = false;  // a pod is not scheduled, which this may explain
  std::int64_t pods = 0;
  Evidence evidence;  // from one of the pods
};

/// Differences of the pods of the current revision, by field. Selectors added by a namespace or a
/// RuntimeClass are excluded: they have findings of their own.
[[nodiscard]] std::vector<PodDrift> pod_drifts(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
