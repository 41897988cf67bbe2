#pragma once

#include <string>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The newest moment at which the node can have become eligible, or the DaemonSet can have come to
/// ask for it: a lower bound of how long the controller knows that a pod should be there. No object
/// records when a pod began to be missing.
struct EligibleSince {
  model::OptionalTime time;  // absent where no object tells
  bool by_node = true;       // else by the DaemonSet
  std::string path;          // of that object: "metadata.creationTimestamp"
};

[[nodiscard]] EligibleSince eligible_since(const NodeCase& of);

}  // namespace dsdoctor::diagnosis
