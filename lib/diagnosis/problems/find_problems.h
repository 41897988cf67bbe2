// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// Joins the findings of `reports`, which belong to `cluster`, into problems by the object to fix.
/// Every wrong placement belongs to exactly one problem. `ignored` problems are only counted.
[[nodiscard]] Problems find_problems(const std::vector<const DaemonSetReport*>& reports,
                                     const model::Cluster& cluster,
                                     const std::vector<Accepted>& ignored = {});

}  // namespace dsdoctor::diagnosis
