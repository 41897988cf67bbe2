// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// A problem for each DaemonSet in `ns` (empty: in all namespaces) that does not exist and that
/// pods name as their owner. It belongs to no report. Empty unless the DaemonSets of these
/// namespaces were listed by a list of their own (`Known::own_daemon_set_list`): in a list of mixed
/// kinds, a missing DaemonSet may just not have been requested.
[[nodiscard]] std::vector<Problem> problems_of_missing_owners(const model::Cluster& cluster,
                                                              std::string_view ns);

}  // namespace dsdoctor::diagnosis
