#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/daemon_set.h"

namespace dsdoctor::decode {

/// Where a spec differs from the one that `kubectl apply` recorded in the object's annotation: at
/// most ten places, in the order of their paths. `last_applied` is the recorded object, `spec` the
/// present spec, both JSON. What the server fills in, or leaves out because it means nothing, is no
/// difference. Values are told of fields that hold no secrets (images, resources, what decides
/// about placement); of all others the path alone. Empty where either cannot be read.
[[nodiscard]] std::vector<model::SpecEdit> spec_edits(std::string_view last_applied,
                                                      std::string_view spec);

/// Fills in `edits` and `applied` of a DaemonSet from its annotation, which is not kept: it may
/// hold secrets, and is as large as the object. `spec` is the present spec as JSON.
void note_edits(model::DaemonSet& ds, std::string_view spec);

/// What of the pod template the recorded object has. Absent where it cannot be read.
[[nodiscard]] std::optional<model::AppliedTemplate> applied_template(std::string_view last_applied);

/// That as words, "tolerations,node-affinity", and back.
[[nodiscard]] std::string applied_text(const model::AppliedTemplate& applied);
[[nodiscard]] model::AppliedTemplate parse_applied(std::string_view text);

/// The edits as one line of JSON, and back; what is no such line holds none.
[[nodiscard]] std::string edits_text(const std::vector<model::SpecEdit>& edits);
[[nodiscard]] std::vector<model::SpecEdit> parse_edits(std::string_view text);

}  // namespace dsdoctor::decode
