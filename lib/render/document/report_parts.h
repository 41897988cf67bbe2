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

/// Pieces that the documents share.
namespace dsdoctor::render {

/// Where the state comes from, and of when it is: "cluster prod, https://..., Kubernetes v1.36.2,
/// read 2026-11-21 02:36:11 UTC".
[[nodiscard]] Line origin_of(const model::SourceInfo& source);

[[nodiscard]] Tone tone_of(diagnosis::NodeVerdict verdict);
/// The verdict's name, in its tone.
[[nodiscard]] Line verdict_words(diagnosis::NodeVerdict verdict);

[[nodiscard]] Cell cell(std::string_view text);
/// Names as code: "a, b, c and 4 more"; each of them where `style` wants every node.
[[nodiscard]] Line names_line(const std::vector<model::Text>& names, const Style& style);

/// A node's reasons and findings, a line each; what is to be done is among them.
[[nodiscard]] Cell why(const diagnosis::NodeReport& node, ExplainedTaints& explained,
                       const Presentation& style);
/// The same of a group of nodes.
[[nodiscard]] Cell why(const diagnosis::NodeGroup& group, const diagnosis::NodeReports& nodes,
                       ExplainedTaints& explained, const Presentation& style);

/// Nothing where there is no text.
void add_paragraph(std::vector<Block>& blocks, std::string_view text);
/// Prose as paragraphs, commands to be copied.
void add_fix(std::vector<Block>& blocks, const std::vector<FixLine>& fix);
void add_command(std::vector<Block>& blocks, std::string_view line);
/// What could not be read; nothing where all was.
void add_omissions(std::vector<Block>& blocks, const std::vector<model::Omission>& omissions);
void add_timeline(std::vector<Block>& blocks, const diagnosis::Timeline& timeline);

}  // namespace dsdoctor::render
