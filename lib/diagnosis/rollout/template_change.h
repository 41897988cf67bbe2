// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "model/daemon_set.h"

namespace dsdoctor::diagnosis {

/// A field in which a template differs from an earlier one.
struct TemplateChange {
  std::string field;   // "image of main", "nodeSelector disk"
  std::string before;  // empty: not set
  std::string after;   // empty: not set

  friend bool operator==(const TemplateChange&, const TemplateChange&) = default;
};

/// "image of main a:1 → a:2", with "none" for a field that is not set.
[[nodiscard]] std::string text_of(const TemplateChange& change);

/// The differences in images, placement, requests and the fields that admission or the scheduler
/// evaluate; those in other fields, such as commands, are not known. Images first.
[[nodiscard]] std::vector<TemplateChange> template_changes(const model::PodTemplate& before,
                                                           const model::PodTemplate& after);

/// Whether the templates differ in the time of `kubectl rollout restart`, and in nothing else that
/// is known.
[[nodiscard]] bool is_restart(const model::PodTemplate& before, const model::PodTemplate& after);

/// The revisions of the DaemonSet by their number, oldest first. They point into the cluster.
[[nodiscard]] std::vector<const model::ControllerRevision*> revisions_by_number(
    const model::DaemonSet& ds, const Facts& facts);

}  // namespace dsdoctor::diagnosis
