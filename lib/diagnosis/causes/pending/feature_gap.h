// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "scheduling/capabilities/required_features.h"

namespace dsdoctor::diagnosis {

/// The features that a pod requires and its node does not declare, and what can be done about them.
/// Texts that do not apply are empty.
struct FeatureGap {
  std::vector<Message> clauses = {};  // one for each feature
  std::vector<Evidence> evidence = {};
  std::string group = {};       // the features, and the release to upgrade to
  std::string fields = {};      // of the template that require them
  std::string gates = {};       // of the kubelet that have to be on
  std::string upgrade_to = {};  // "1.38": the first release with all features
  bool runtime_may_lack_it = false;

  [[nodiscard]] bool is_empty() const { return clauses.empty(); }
};

/// `of`: the pod, or the DaemonSet if the pod does not exist. Empty without needs.
[[nodiscard]] FeatureGap feature_gap(const model::Node& node, const ObjectRef& of,
                                     const scheduling::FeatureNeeds& lacking);

}  // namespace dsdoctor::diagnosis
