// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// Facts that a taint's own key and value show. For other knowledge see taint_catalogue.h.
namespace dsdoctor::diagnosis {

/// Taint of cluster-autoscaler on a node that it is removing.
inline constexpr std::string_view to_be_deleted_key = "ToBeDeletedByClusterAutoscaler";

/// The time of a value like "1601646271" (Unix seconds); absent for other values.
[[nodiscard]] model::OptionalTime timestamp_value(std::string_view value);

/// The time when the taint was added: timeAdded, else the time in the value.
[[nodiscard]] model::OptionalTime tainted_since(const model::Taint& taint);

/// Whether the value differs from node to node or from day to day, so that a toleration must not
/// contain it, and nodes that differ only in it are in the same group.
[[nodiscard]] bool has_volatile_value(const model::Taint& taint, std::string_view node_name);

/// "2020-10-02 13:44:31 UTC"
[[nodiscard]] inline std::string format_utc(model::Time time) { return base::utc_text(time); }

}  // namespace dsdoctor::diagnosis
