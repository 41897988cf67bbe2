// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/admission.h"

#include <algorithm>
#include <limits>

namespace dsdoctor::diagnosis {

scheduling::Admission admission_of(const model::Cluster& cluster, const model::DaemonSet& ds) {
  scheduling::Admission result;
  for (const model::LimitRange& range : cluster.limit_ranges) {
    if (range.meta.ns == ds.meta.ns) result.limit_ranges.push_back(&range);
  }
  const model::Text& wanted = ds.pod_template.spec.runtime_class;
  for (const model::RuntimeClass& entry : cluster.runtime_classes) {
    if (!wanted.empty() && entry.meta.name == wanted) result.runtime_class = &entry;
  }
  result.priority_classes.reserve(cluster.priority_classes.size());
  for (const model::PriorityClass& entry : cluster.priority_classes) {
    result.priority_classes.push_back(&entry);
  }
  return result;
}

std::int64_t preempts_below(const model::Cluster& cluster, const model::DaemonSet& ds) {
  using Limits = std::numeric_limits<std::int64_t>;
  const model::Pod pod = scheduling::synthetic_pod(ds, "any", admission_of(cluster, ds));
  if (pod.spec->preemption_policy == "Never") return Limits::min();
  const model::Text& name = pod.spec->priority_class;
  const bool is_built_in = name.view().starts_with("system-");
  const bool is_read = std::ranges::find(cluster.priority_classes, name, [](const auto& entry) {
                         return entry.meta.name;
                       }) != cluster.priority_classes.end();
  if (!name.empty() && !is_built_in && !is_read) return Limits::max();
  return pod.spec->priority.value_or(0);
}

}  // namespace dsdoctor::diagnosis
