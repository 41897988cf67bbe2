// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/daemon_set.h"

namespace dsdoctor::decode {

/// The differences between a spec and the one that `kubectl apply` recorded in the object's
/// annotation: at most ten, in the order of their paths. `last_applied` is the recorded object,
/// `spec` the current spec, both JSON. Defaults that the server adds, and empty values that it
/// drops, are not differences. Values are included only for fields without secrets (images,
/// resources, fields that affect placement). Empty if one of the two cannot be read.
[[nodiscard]] std::vector<model::SpecEdit> spec_edits(std::string_view last_applied,
                                                      std::string_view spec);

/// Sets `edits` and `applied` of a DaemonSet from its annotation, and clears the annotation, which
/// can contain secrets and is as large as the object. `spec` is the current spec as JSON.
void note_edits(model::DaemonSet& ds, std::string_view spec);

/// The parts of the pod template that the recorded object has. Absent if it cannot be read.
[[nodiscard]] std::optional<model::AppliedTemplate> applied_template(std::string_view last_applied);

/// Converts these to words, "tolerations,node-affinity", and back.
[[nodiscard]] std::string applied_text(const model::AppliedTemplate& applied);
[[nodiscard]] model::AppliedTemplate parse_applied(std::string_view text);

/// Converts edits to one line of JSON, and back; any other text gives an empty list.
[[nodiscard]] std::string edits_text(const std::vector<model::SpecEdit>& edits);
[[nodiscard]] std::vector<model::SpecEdit> parse_edits(std::string_view text);

}  // namespace dsdoctor::decode
