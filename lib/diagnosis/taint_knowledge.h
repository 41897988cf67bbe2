#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/meta.h"
#include "model/scheduling.h"

namespace dsdoctor::diagnosis {

enum class TaintLifecycle {
  Leaving,     // the node is being removed: goes away together with it
  Transient,   // a state that passes, or that somebody has to mend
  UntilReady,  // stays until the node has finished starting
  Lasting,     // marks what kind of node it is
};

/// What is known of a taint by its key.
struct TaintKnowledge {
  std::string_view meaning;  // one clause, "the node ..."
  TaintLifecycle lifecycle = TaintLifecycle::Lasting;
};

/// Absent for a key that nobody but this cluster's owner knows. The texts live as long as the
/// program.
[[nodiscard]] std::optional<TaintKnowledge> knowledge_of(const model::Taint& taint);

/// cluster-autoscaler's mark on a node that it is removing.
inline constexpr std::string_view to_be_deleted_key = "ToBeDeletedByClusterAutoscaler";

/// The moment that a value like "1601646271" (Unix seconds) stands for; absent for other values.
[[nodiscard]] std::optional<model::Time> timestamp_value(std::string_view value);

/// The value differs from node to node or from day to day, so that a toleration must not name it,
/// and nodes that differ in nothing else are of one group.
[[nodiscard]] bool has_volatile_value(const model::Taint& taint, std::string_view node_name);

/// "2020-10-02 13:44:31 UTC"
[[nodiscard]] std::string format_utc(model::Time time);

}  // namespace dsdoctor::diagnosis
