// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/daemon_set.h"
#include "model/labels.h"
#include "model/scheduling.h"

namespace dsdoctor::placement {

/// Whether `labels` satisfy one requirement: In, NotIn, Exists, DoesNotExist, Gt or Lt. No labels
/// satisfy a requirement that Kubernetes cannot parse. Source of truth: apimachinery v0.36.2
/// pkg/labels/selector.go: NewRequirement, Matches.
[[nodiscard]] bool satisfies(const model::Labels& labels,
                             const model::NodeSelectorRequirement& requirement);

/// Whether `labels` satisfy `selector`. A selector without requirements matches everything; a
/// selector that Kubernetes cannot parse matches nothing. Source of truth: apimachinery v0.36.2
/// pkg/apis/meta/v1/helpers.go: LabelSelectorAsSelector.
[[nodiscard]] bool matches(const model::LabelSelector& selector, const model::Labels& labels);

[[nodiscard]] inline bool selects_everything(const model::LabelSelector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}

}  // namespace dsdoctor::placement
