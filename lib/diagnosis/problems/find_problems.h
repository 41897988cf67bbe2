#pragma once

#include <vector>

#include "diagnosis/problems/problem.h"

namespace dsdoctor::diagnosis {

/// Joins what `reports` say, which are of `cluster`, by what is to be fixed. Every placement that
/// is wrong belongs to exactly one problem. `ignored` problems are counted and left out.
[[nodiscard]] Problems find_problems(const std::vector<const DaemonSetReport*>& reports,
                                     const model::Cluster& cluster,
                                     const std::vector<Accepted>& ignored = {});

}  // namespace dsdoctor::diagnosis
