// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

/// The time of files: they show the state when they were written, not the current one.
namespace dsdoctor::source {

/// Returns the newest time in a text, as RFC 3339 or as Go prints it (`2021-08-05 10:12:31.5 +0000
/// UTC`). Absent if there is no time.
[[nodiscard]] model::OptionalTime newest_time_in(std::string_view text);

/// Returns the newest time in the cluster. Times after `present` (of a deletion, of a fast clock)
/// are ignored if there are others. Absent if there is no time.
[[nodiscard]] model::OptionalTime newest_time_of(const model::Cluster& cluster,
                                                 model::Time present);

/// Returns the time at which the cluster was in this state: the newest time in it, or its
/// collector's, which runs a little longer. Absent if there is no time, or if it is close enough to
/// `present`. Future times (of a deletion, of a fast clock) are ignored.
[[nodiscard]] model::OptionalTime capture_time(const model::Cluster& cluster,
                                               model::OptionalTime collector, model::Time present);

}  // namespace dsdoctor::source
