// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The latest time at which a change of the node or of the DaemonSet may have made the node
/// eligible: a lower bound for the time that the pod has been missing, which no object records.
struct EligibleSince {
  model::OptionalTime time;  // absent if not known
  bool by_node = true;       // false: by the DaemonSet
  std::string path;          // path in that object: "metadata.creationTimestamp"
};

[[nodiscard]] EligibleSince eligible_since(const NodeCase& of);

}  // namespace dsdoctor::diagnosis
