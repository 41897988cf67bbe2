// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "render/document/document.h"
#include "render/words/finding_text.h"
#include "render/words/style.h"
#include "render/words/text_parts.h"

/// Parts that the documents share.
namespace dsdoctor::render {

/// The source of the data and its time: "cluster prod, https://..., Kubernetes v1.36.2,
/// read 2026-11-21 02:36:11 UTC".
[[nodiscard]] Line origin_of(const model::SourceInfo& source);

[[nodiscard]] Tone tone_of(diagnosis::NodeVerdict verdict);
/// The name of the verdict, highlighted.
[[nodiscard]] Line verdict_words(diagnosis::NodeVerdict verdict);

[[nodiscard]] Cell cell(std::string_view text);
/// Names as code: "a, b, c and 4 more"; all of them if `style` lists every node.
[[nodiscard]] Line names_line(const std::vector<model::Text>& names, const Style& style);

/// The reasons and findings of a node, a line each, with fixes.
[[nodiscard]] Cell why(const diagnosis::NodeReport& node, ExplainedTaints& explained,
                       const Presentation& style);
/// The same for a group of nodes.
[[nodiscard]] Cell why(const diagnosis::NodeGroup& group, const diagnosis::NodeReports& nodes,
                       ExplainedTaints& explained, const Presentation& style);

/// Adds a paragraph unless `text` is empty.
void add_paragraph(std::vector<Block>& blocks, std::string_view text);
/// Text as paragraphs, commands as blocks to copy.
void add_fix(std::vector<Block>& blocks, const std::vector<FixLine>& fix);
void add_command(std::vector<Block>& blocks, std::string_view line);
/// Adds nothing if there are no omissions.
void add_omissions(std::vector<Block>& blocks, const std::vector<model::Omission>& omissions);
void add_timeline(std::vector<Block>& blocks, const diagnosis::Timeline& timeline);

}  // namespace dsdoctor::render
