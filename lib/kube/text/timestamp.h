#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/text/clock.h"

namespace dsdoctor::kube {

/// RFC 3339: `2026-11-21T02:39:09Z`, with fraction and offset. Null when it is none.
[[nodiscard]] std::optional<TimePoint> parse_timestamp(std::string_view text);

/// `2026-11-21T02:39:09Z`
[[nodiscard]] std::string to_timestamp(TimePoint time);

}  // namespace dsdoctor::kube
