// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

struct OwnersSought {
  std::string ns;  // empty: in all namespaces
  /// Pods that were created later may belong to a DaemonSet that was created between the lists of
  /// DaemonSets and of pods. Absent: the lists are of one moment.
  model::OptionalTime before = {};
};

/// A problem for each DaemonSet in the namespace that does not exist and that pods name as their
/// owner. It belongs to no report. Empty unless the DaemonSets of these
/// namespaces were listed by a list of their own (`Known::own_daemon_set_list`): in a list of mixed
/// kinds, a missing DaemonSet may just not have been requested.
[[nodiscard]] std::vector<Problem> problems_of_missing_owners(const model::Cluster& cluster,
                                                              const OwnersSought& of);

}  // namespace dsdoctor::diagnosis
