#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// How one field of pods differs from what the template, and Kubernetes itself, make of it.
struct PodDrift {
  std::string field;             // "nodeSelector", "tolerations", "requests", ...
  std::string container;         // whose requests these are; else empty
  std::vector<Message> changes;  // both values
  bool decides = false;      // another decision about a node, or a toleration in effect is missing
  bool unscheduled = false;  // one of them waits for a node, for which this may be why
  std::int64_t pods = 0;
  Evidence evidence;  // of one of them
};

/// Of the pods of the present revision, by field. What a namespace's or a RuntimeClass's selector
/// adds is not among them: those are findings of their own.
[[nodiscard]] std::vector<PodDrift> pod_drifts(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
