// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/causes/pending/pending_case.h"
#include "scheduling/fit.h"

namespace dsdoctor::diagnosis {

/// The probable writer of a field of a pod that its template does not have.
enum class LateWriter {
  Nobody,    // the template has it, or the pod is of another revision, or does not exist yet
  Kueue,     // sigs.k8s.io/kueue, pkg/controller/jobs/pod
  YuniKorn,  // github.com/apache/yunikorn-k8shim, pkg/admission
  Unknown,   // a webhook, a policy or an operator
};

/// The writer of scheduling gates that the pod has and its template does not have.
[[nodiscard]] LateWriter gate_writer(const PendingCase& the_case);
/// The writer of schedulerName, if it is not that of the template.
[[nodiscard]] LateWriter scheduler_writer(const PendingCase& the_case);

/// Labels, "key=value", that neither the template nor the DaemonSet controller gives the pod; they
/// often identify the writer.
[[nodiscard]] std::vector<std::string> late_labels(const PendingCase& the_case);

/// The name of the scheduler, which an empty field leaves to the API server.
[[nodiscard]] std::string_view scheduler_of(const model::PodSpec& spec);

/// If the pod would fit with the requests of the template: says which request is not that of the
/// template, and names the fix for what changed it. A request that the template leaves to its limit
/// is not changed.
void note_changed_request(const PendingCase& the_case, const scheduling::Shortage& shortage,
                          Finding& finding);

}  // namespace dsdoctor::diagnosis
