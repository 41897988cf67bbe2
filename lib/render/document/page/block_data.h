// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/document/document.h"
#include "render/document/page/fill.h"

/// Lines and blocks of a document as data for line.mustache and blocks.mustache.
namespace dsdoctor::render::page {

/// The name of a color in page.css; empty for plain text.
[[nodiscard]] std::string_view name_of(Tone tone);

[[nodiscard]] Json line_data(const Line& line);
/// The text of the line without highlights.
[[nodiscard]] std::string text_of(const Line& line);
/// Second-level headings are link targets: s1, s2, ...
[[nodiscard]] Json blocks_data(const std::vector<Block>& blocks);

}  // namespace dsdoctor::render::page
