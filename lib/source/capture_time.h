#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

/// The time of files: they show the state when they were written, not the present one.
namespace dsdoctor::source {

/// The newest time that a text mentions, as RFC 3339 or as Go prints it
/// (`2021-08-05 10:12:31.5 +0000 UTC`). Absent where there is none.
[[nodiscard]] model::OptionalTime newest_time_in(std::string_view text);

/// The time at which the cluster was in this state: the newest time in it, or that of its
/// collector, which runs a little longer. Absent if there is no time, or if the present is close
/// enough. Future times (of deletion, of a fast clock) are ignored.
[[nodiscard]] model::OptionalTime capture_time(const model::Cluster& cluster,
                                               model::OptionalTime collector, model::Time present);

}  // namespace dsdoctor::source
