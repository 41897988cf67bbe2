// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/report/cases.h"
#include "diagnosis/rollout/template_change.h"

namespace dsdoctor::diagnosis {

/// Nodes that are not eligible because of a change of the template.
struct LostNodes {
  const model::ControllerRevision* revision = nullptr;  // the first with the change; null: none
  std::vector<TemplateChange> changes;                  // against the revision before
  std::vector<std::string> nodes;                       // sorted; eligible by that revision
};

/// By the newest change of the fields that decide the placement, as far as revisions were read.
/// Needs a revision with the current template.
[[nodiscard]] LostNodes lost_by_template(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
