// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/daemon_set.h"
#include "model/pod.h"
#include "model/related_objects.h"

namespace dsdoctor::scheduling {

/// Objects that admission uses to change pods of a namespace. Empty if they were not read.
struct Admission {
  std::vector<const model::LimitRange*> limit_ranges;  // of the DaemonSet's namespace
  const model::RuntimeClass* runtime_class = nullptr;  // of the template's runtimeClassName
  std::vector<const model::PriorityClass*> priority_classes;
};

/// The pod that the controller would create for the node, as the API server would store it: with
/// automatic tolerations, affinity to the node's name, defaults, limit ranges, runtime and priority
/// class. Source of truth: kubernetes v1.36.2, pkg/controller/daemon/daemon_controller.go:
/// CreateTemplate; pkg/apis/core/v1/defaults.go;
/// plugin/pkg/admission/{limitranger,priority,runtimeclass}.
[[nodiscard]] model::Pod synthetic_pod(const model::DaemonSet& ds, const model::Text& node,
                                       const Admission& admission);

}  // namespace dsdoctor::scheduling
