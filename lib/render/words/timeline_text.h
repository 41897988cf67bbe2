#pragma once

#include <string>
#include <string_view>

#include "diagnosis/evidence/timeline_entry.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// A line each, oldest first; of a long one the newest. Says what such a list cannot hold.
[[nodiscard]] std::string timeline_lines(const diagnosis::Timeline& timeline, std::size_t indent,
                                         const Style& style);

/// Why there may have been more: "events older than about an hour are gone".
[[nodiscard]] std::string_view limits_of(const diagnosis::Timeline& timeline);

}  // namespace dsdoctor::render
