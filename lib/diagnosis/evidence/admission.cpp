#include "diagnosis/evidence/admission.h"

#include <algorithm>

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

}  // namespace dsdoctor::diagnosis
