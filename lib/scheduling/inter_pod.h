#pragma once

#include <span>
#include <string_view>

#include "model/pod.h"
#include "scheduling/surroundings.h"

/// Required affinity and anti-affinity between pods, for a pod that can only go to one node.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/
/// filtering.go; staging/src/k8s.io/kube-scheduler/framework/types.go: AffinityTerm.Matches.
namespace dsdoctor::scheduling {

struct InterPodResult {
  Judgement judgement = Judgement::Passes;
  model::PodAffinityTerm term;  // the one that decides; of the other pod where that is the owner
  bool lacks_key = false;       // the node has no such topology label
  Pods pods;                    // that stand against it; empty for own affinity

  [[nodiscard]] bool blocks() const { return judgement == Judgement::Blocked; }
};

/// The pod's own affinity. Blocked means that no pod's leaving helps.
[[nodiscard]] InterPodResult own_affinity(const model::Pod& pod, const Surroundings& around);
[[nodiscard]] InterPodResult own_anti_affinity(const model::Pod& pod, const Surroundings& around);
/// Of pods that are running already.
[[nodiscard]] InterPodResult existing_anti_affinity(const model::Pod& pod,
                                                    const Surroundings& around);
/// Every pod that anti-affinity keeps this one from, whosever it is; one may come twice.
[[nodiscard]] Pods kept_apart(const model::Pod& pod, const Surroundings& around);

}  // namespace dsdoctor::scheduling
