// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/causes/creation/refusal_text.h"
#include "model/pod.h"
#include "model/related_objects.h"
#include "scheduling/quantity.h"

/// Compares a pod with the ResourceQuotas of its namespace, like admission.
/// Source of truth: apiserver v0.36.3 pkg/admission/plugin/resourcequota/controller.go:
/// CheckRequest; kubernetes v1.36.3 pkg/quota/v1/evaluator/core/pods.go.
namespace dsdoctor::diagnosis {

/// One resource that a quota limits and the pod uses.
struct QuotaUse {
  std::string resource;  // as the quota names it: "pods", "requests.cpu"
  scheduling::Quantity requested;
  scheduling::Quantity used;
  scheduling::Quantity hard;
  std::int64_t room = 0;  // number of further such pods that fit

  friend bool operator==(const QuotaUse&, const QuotaUse&) = default;
};

/// A request or limit that a quota demands of every container.
struct UnsetResource {
  std::string resource;  // "limits.cpu"
  std::vector<std::string> containers;

  friend bool operator==(const UnsetResource&, const UnsetResource&) = default;
};

struct QuotaJudgement {
  const model::ResourceQuota* quota = nullptr;
  std::vector<QuotaUse> uses;        // the resource that runs out first is first
  std::vector<UnsetResource> unset;  // if not empty, no pod passes, whatever is free
  std::vector<Evidence> unusable;    // quantities that no API server accepts; excluded above
};

/// Evaluates every quota of `pod`'s namespace that covers such pods. Resources that the quota's
/// status does not count yet are skipped, because admission's decision is unknown.
[[nodiscard]] std::vector<QuotaJudgement> judge_quotas(
    const model::Pod& pod, std::string_view priority_class,
    const std::vector<model::ResourceQuota>& quotas);

/// A map in the status of a quota.
enum class QuotaMap { Hard, Used };

[[nodiscard]] ObjectRef ref_of(const model::ResourceQuota& quota);
/// The map's entry for a resource: "status.hard['pods']".
[[nodiscard]] Evidence quota_evidence(const model::ResourceQuota& quota, QuotaMap map,
                                      std::string_view resource);

/// Whether the request in a rejection still does not fit into the current quota.
[[nodiscard]] bool still_exceeds(const std::vector<QuotaFigure>& asked,
                                 const model::ResourceQuota& quota);

}  // namespace dsdoctor::diagnosis
