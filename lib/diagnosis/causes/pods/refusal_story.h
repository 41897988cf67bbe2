// SPDX-License-Identifier: Apache-2.0
#pragma once

// Explains why a kubelet rejected or ended a pod.

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/causes/pending/feature_gap.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// A kubelet's reason and message for failing a pod.
struct KubeletRefusal {
  std::string_view reason;   // status.reason, or the event's
  std::string_view message;  // with or without "Pod was rejected: "
  std::string_view pod;
  const model::Pod* object = nullptr;  // null if the pod does not exist any more
  model::OptionalTime at;
  std::vector<Evidence> evidence;
};

/// The clauses of the finding's message, its key for grouping, and more evidence.
struct RefusalStory {
  std::vector<Message> clauses;
  std::string group = {};
  std::vector<Evidence> evidence = {};
  bool is_over = false;                      // nothing blocks the next pod
  model::OptionalTime ended = std::nullopt;  // if over and known
};

/// The features that the kubelet's message names and that are known; may be empty.
[[nodiscard]] FeatureGap refused_features(const NodeCase& c, const KubeletRefusal& refusal);

/// Selects the story by the finding's ID and adds the current state of the cluster.
[[nodiscard]] RefusalStory story_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id);

}  // namespace dsdoctor::diagnosis
