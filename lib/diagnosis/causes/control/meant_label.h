// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/report/reach.h"
#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// How a label that no node has resembles one that a node has; the clearest first.
enum class Resemblance {
  Spelling,  // only letter case, '-', '_' or '.' differ, or both values mean yes
  Renamed,   // Kubernetes gave the key another name
  State,     // the node's value is a state that ends: paused-for-driver-upgrade
  Typo,      // one edit
};

/// A label that a template requires and no node has, and the label that it probably means.
struct MeantLabel {
  Label wanted;
  LabelOfNode meant;
  Resemblance resemblance = Resemblance::Typo;
};

/// The label of a node that the node selector or the required node affinity of the template was
/// probably meant to match. Absent if no label of a node is similar, or a node has the required
/// one.
[[nodiscard]] std::optional<MeantLabel> meant_label(const model::DaemonSet& ds, const Facts& facts);

}  // namespace dsdoctor::diagnosis
