// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports that the DaemonSet's pods are replaced over and over: its template changes at least
/// three times within five minutes, or the controller creates at least five pods for a node within
/// ten minutes and deletes them again; both until less than two minutes ago. Events of the
/// controller are a lower bound: its recorder drops what comes too fast.
[[nodiscard]] std::optional<Finding> loop_finding(const DaemonSetCase& of);

/// Whether the pods are so young that they may be replaced over and over, although the DaemonSet is
/// not: worth a look at its events. `oldest_pod`: when the oldest of its pods was created.
[[nodiscard]] bool may_be_replaced_repeatedly(const model::DaemonSet& ds,
                                              const model::OptionalTime& oldest_pod,
                                              model::Time now);

}  // namespace dsdoctor::diagnosis
