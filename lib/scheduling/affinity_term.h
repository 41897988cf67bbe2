// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "model/cluster.h"

namespace dsdoctor::scheduling {

/// Result of a filter for a pod on a node.
enum class Judgement {
  Passes,
  Blocked,
  Unknown,  // it depends on pods or objects that were not read
};

/// Results of is_meant and all_mean, beside Unknown.
inline constexpr Judgement meant = Judgement::Blocked;
inline constexpr Judgement not_meant = Judgement::Passes;

/// Whether the term of a pod in namespace `owner_ns` selects `pod`. Unknown if that depends on the
/// labels of a namespace that was not read.
[[nodiscard]] Judgement is_meant(const model::PodAffinityTerm& term, std::string_view owner_ns,
                                 const model::Pod& pod, const model::Cluster& cluster);
/// Whether all terms select `pod`: a pod counts for affinity only then.
[[nodiscard]] Judgement all_mean(std::span<const model::PodAffinityTerm> terms,
                                 std::string_view owner_ns, const model::Pod& pod,
                                 const model::Cluster& cluster);

}  // namespace dsdoctor::scheduling
