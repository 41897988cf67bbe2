#pragma once

#include <span>
#include <string_view>

#include "model/cluster.h"

namespace dsdoctor::scheduling {

/// What a filter says of one pod on one node.
enum class Judgement {
  Passes,
  Blocked,
  Unknown,  // it depends on pods or objects that were not read
};

/// What is_meant and all_mean say, beside Unknown.
inline constexpr Judgement meant = Judgement::Blocked;
inline constexpr Judgement not_meant = Judgement::Passes;

/// Whether `pod` is one that the term, carried by a pod of namespace `owner_ns`, speaks of. Unknown
/// where that depends on labels of a namespace that was not read.
[[nodiscard]] Judgement is_meant(const model::PodAffinityTerm& term, std::string_view owner_ns,
                                 const model::Pod& pod, const model::Cluster& cluster);
/// not_meant: one of the terms does not speak of the pod. It counts for affinity only if all do.
[[nodiscard]] Judgement all_mean(std::span<const model::PodAffinityTerm> terms,
                                 std::string_view owner_ns, const model::Pod& pod,
                                 const model::Cluster& cluster);

}  // namespace dsdoctor::scheduling
