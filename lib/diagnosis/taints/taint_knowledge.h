#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// What a taint's own words say. What is known of it beyond them: diagnosis/taint_catalogue.h.
namespace dsdoctor::diagnosis {

/// cluster-autoscaler's mark on a node that it is removing.
inline constexpr std::string_view to_be_deleted_key = "ToBeDeletedByClusterAutoscaler";

/// The moment that a value like "1601646271" (Unix seconds) stands for; absent for other values.
[[nodiscard]] model::OptionalTime timestamp_value(std::string_view value);

/// Since when a node has a taint: timeAdded, else the moment that the value stands for.
[[nodiscard]] model::OptionalTime tainted_since(const model::Taint& taint);

/// The value differs from node to node or from day to day, so that a toleration must not name it,
/// and nodes that differ in nothing else are of one group.
[[nodiscard]] bool has_volatile_value(const model::Taint& taint, std::string_view node_name);

/// "2020-10-02 13:44:31 UTC"
[[nodiscard]] inline std::string format_utc(model::Time time) { return base::utc_text(time); }

}  // namespace dsdoctor::diagnosis
