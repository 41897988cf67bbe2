// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "diagnosis/catalogue/object_evidence.h"
#include "model/pod.h"

namespace dsdoctor::diagnosis {

/// "status.conditions[1].status", its value with the reason. REQUIRES: the pod has the condition.
[[nodiscard]] inline Evidence condition_evidence(const model::Pod& pod,
                                                 const model::Condition& condition) {
  std::size_t index = 0;
  while (pod.conditions[index].type != condition.type) ++index;
  std::string value = condition.status.str();
  if (!condition.reason.empty()) value += " " + condition.reason.str();
  return {ref_of(pod), fmt::format("status.conditions[{}].status", index), value};
}

}  // namespace dsdoctor::diagnosis
