// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "model/pod.h"
#include "scheduling/surroundings.h"

/// Required affinity and anti-affinity between pods, for a pod that can only run on one node.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/
/// filtering.go; staging/src/k8s.io/kube-scheduler/framework/types.go: AffinityTerm.Matches.
namespace dsdoctor::scheduling {

struct InterPodResult {
  Judgement judgement = Judgement::Passes;
  model::PodAffinityTerm term;  // the term that decides; it may belong to another pod
  bool lacks_key = false;       // the node has no such topology label
  Pods pods;                    // the pods that block it; empty for own_affinity

  [[nodiscard]] bool blocks() const { return judgement == Judgement::Blocked; }
};

/// The pod's own affinity. If it is Blocked, removing pods does not help.
[[nodiscard]] InterPodResult own_affinity(const model::Pod& pod, const Surroundings& around);
[[nodiscard]] InterPodResult own_anti_affinity(const model::Pod& pod, const Surroundings& around);
/// The anti-affinity of pods that are already running.
[[nodiscard]] InterPodResult existing_anti_affinity(const model::Pod& pod,
                                                    const Surroundings& around);
/// All pods that conflict by their own or by this pod's anti-affinity; may have duplicates.
[[nodiscard]] Pods kept_apart(const model::Pod& pod, const Surroundings& around);

}  // namespace dsdoctor::scheduling
