// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/creation_needs.h"

namespace dsdoctor::diagnosis {

void add_admission(const model::DaemonSet& ds, model::DetailQuery& query) {
  const model::PodSpec& spec = ds.pod_template.spec;
  query.namespaces.insert(ds.meta.ns.str());
  query.admission_namespaces.insert(ds.meta.ns.str());
  query.service_accounts.insert(
      {ds.meta.ns.str(), spec.service_account.empty() ? "default" : spec.service_account.str()});
  if (spec.priority_class.empty()) {
    query.every_priority_class = true;
  } else {
    query.priority_classes.insert(spec.priority_class.str());
  }
  if (!spec.runtime_class.empty()) query.runtime_classes.insert(spec.runtime_class.str());
}

}  // namespace dsdoctor::diagnosis
