#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

/// The clock of files: they tell of the moment at which they were written, not of the present.
namespace dsdoctor::source {

/// The newest time that a text mentions, as RFC 3339 or as Go prints it
/// (`2021-08-05 10:12:31.5 +0000 UTC`). Absent where there is none.
[[nodiscard]] model::OptionalTime newest_time_in(std::string_view text);

/// The moment at which the cluster was in this state: the newest time in it, or that of its
/// collector, which is at work a little longer. Absent where there is no time, and where the
/// present will do. Times to come (of deletion, by a clock that is ahead) are left out.
[[nodiscard]] model::OptionalTime capture_time(const model::Cluster& cluster,
                                               model::OptionalTime collector, model::Time present);

}  // namespace dsdoctor::source
