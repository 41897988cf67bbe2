// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/report/cases.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// The latest time at which a change of the node or of the DaemonSet may have made the node
/// eligible: a lower bound for the time that the pod has been missing, which no object records.
struct EligibleSince {
  model::OptionalTime time;  // absent if not known
  bool by_node = true;       // false: by the DaemonSet
  std::string path;          // path in that object: "metadata.creationTimestamp"
};

[[nodiscard]] EligibleSince eligible_since(const NodeCase& of);

/// The key of the label that a reason is about; null for other reasons.
[[nodiscard]] const model::Text* label_of_reason(const placement::Reason& reason);

/// A pod that the controller deleted right after the labels of its node were written.
struct LabelLoss {
  const model::FieldManager* writer = nullptr;  // of the labels; never null
  const model::Event* deletion = nullptr;       // SuccessfulDelete; never null
  std::string_view pod;     // the deleted pod; empty if it may be one of several
  bool is_certain = false;  // an event of the pod names the node
};

/// By managedFields of the node and the controller's events; events of the pod may show on which
/// node it was; if none does, not shortly after a change of the template. Absent without such a
/// pair. The writer may have written other labels. `deletions`:
/// of the DaemonSet, oldest first.
[[nodiscard]] std::optional<LabelLoss> label_loss(const model::Node& node,
                                                  const model::DaemonSet& ds,
                                                  const Facts::Events& deletions,
                                                  const Facts& facts);

}  // namespace dsdoctor::diagnosis
