// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

/// DaemonSets without any node that wait for labels of node-feature-discovery, whose worker is kept
/// off nodes by the value of a toleration, while the DaemonSets tolerate the taint and lack only
/// the labels. The pointers are into the cluster.
struct LabelWait {
  const model::DaemonSet* writer = nullptr;
  std::vector<const model::DaemonSet*> waiting;  // in the order of the cluster
  std::vector<const model::Node*> nodes;         // in the order of the cluster
  const model::Taint* taint = nullptr;           // on the first node
  const model::Toleration* toleration = nullptr;
  std::string label;  // the first that is lacking
};

[[nodiscard]] std::vector<LabelWait> label_waits(const Facts& facts, placement::FeatureGates gates);

}  // namespace dsdoctor::diagnosis
