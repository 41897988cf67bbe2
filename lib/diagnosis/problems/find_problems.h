// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/problems/missing_owners.h"
#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// Joins the findings of `reports`, which belong to `cluster`, into problems by the object to fix.
/// Every wrong placement belongs to exactly one problem. `ignored` problems are only counted.
/// `missing_owners`: see problems_of_missing_owners; absent: without these problems.
[[nodiscard]] Problems find_problems(const std::vector<const DaemonSetReport*>& reports,
                                     const model::Cluster& cluster,
                                     const std::vector<Accepted>& ignored = {},
                                     const std::optional<OwnersSought>& missing_owners = {});

}  // namespace dsdoctor::diagnosis
