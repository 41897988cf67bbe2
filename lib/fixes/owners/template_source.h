// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "model/daemon_set.h"

namespace dsdoctor::fixes {

/// The fields of a chart's values, or of an operator's object, from which a DaemonSet's template is
/// written.
struct TemplateSource {
  std::string_view of;           // the chart, or "datadoghq.com/v2alpha1 DatadogAgent"
  std::string_view daemon_set;   // the name of the DaemonSet; empty: any
  std::string_view component;    // no other one by app.kubernetes.io/component; empty: any
  std::string_view tolerations;  // "agents.tolerations"
  std::string_view affinity;     // "agents.affinity"
  std::string_view parent;       // a chart that commonly includes this one; empty: none
  std::string_view source;       // where this was read: repository, file, commit
};

/// The source in a Helm chart, by the label helm.sh/chart ("datadog-3.1.0"); null: not known.
[[nodiscard]] const TemplateSource* source_in_chart(const model::DaemonSet& ds,
                                                    std::string_view chart);

/// The source in the object that controls the DaemonSet; null: not known.
[[nodiscard]] const TemplateSource* source_in_controller(const model::DaemonSet& ds);

}  // namespace dsdoctor::fixes
