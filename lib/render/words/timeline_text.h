// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/evidence/timeline_entry.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// A line for each entry, oldest first; of many entries only the newest. Ends with a note on what
/// may be missing.
[[nodiscard]] std::string timeline_lines(const diagnosis::Timeline& timeline, std::size_t indent,
                                         const Style& style);

/// Why entries may be missing: "events older than about an hour are gone".
[[nodiscard]] std::string_view limits_of(const diagnosis::Timeline& timeline);

}  // namespace dsdoctor::render
