// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "fixes/what_if.h"
#include "model/cluster.h"

/// Converts fixes of a what-if DaemonSet into changes of the object in the cluster. A patch whose
/// list begins with tolerations that the object does not have fails, or does something else.
namespace dsdoctor::fixes {

/// Adds the what-if tolerations to the patches of `answers`, which are about the changed cluster;
/// marks the patches of a manifest.
void fit_to_cluster(std::vector<FixAnswer>& answers, const Changed& changed);

/// The same for an explanation. REQUIRES: `explanation` is about `daemon_sets`, in their order.
void fit_to_cluster(Explanation& explanation,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const Changed& changed);

}  // namespace dsdoctor::fixes
