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

/// A pod that the controller deleted because a label of its node was removed or changed.
struct LabelLoss {
  const model::Event* deletion = nullptr;  // SuccessfulDelete; never null
  std::string_view pod;                    // the deleted pod; empty if it may be one of several
  bool is_certain = false;                 // an event of the pod names the node
  /// The last client that wrote labels of the node shortly before; null if none is recorded.
  /// managedFields record who sets a label, not who removes one, unless the client sets something
  /// at the same time.
  const model::FieldManager* writer = nullptr;
};

/// By the controller's events and those of its pods, or, if they do not name the node, by a writer
/// of its labels within the ten seconds before. Deletions shortly after a change of the template
/// have another reason. REQUIRES: the node is not eligible because of a label.
[[nodiscard]] std::optional<LabelLoss> label_loss(const model::Node& node,
                                                  const model::DaemonSet& ds,
                                                  const DaemonSetEvents& events);

}  // namespace dsdoctor::diagnosis
