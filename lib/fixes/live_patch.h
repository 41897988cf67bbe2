#pragma once

#include <vector>

#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "fixes/what_if.h"
#include "model/cluster.h"

/// Fixes of DaemonSets that were imagined otherwise are changes of what is there: a patch whose
/// list begins with tolerations that the object does not have fails, or does something else.
namespace dsdoctor::fixes {

/// The patches of `answers`, which are of the changed cluster, add the tolerations that were
/// imagined as well; those of a manifest are marked.
void fit_to_cluster(std::vector<FixAnswer>& answers, const Changed& changed);

/// `explanation` is of `daemon_sets`.
void fit_to_cluster(Explanation& explanation,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const Changed& changed);

}  // namespace dsdoctor::fixes
