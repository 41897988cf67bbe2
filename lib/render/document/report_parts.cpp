// SPDX-License-Identifier: Apache-2.0
#include "render/document/report_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/taints/taint_knowledge.h"
#include "render/words/finding_text.h"
#include "render/words/timeline_text.h"

namespace dsdoctor::render {
namespace {

void add_findings(Cell& to, const std::vector<FindingSentence>& findings,
                  const Presentation& style) {
  for (const FindingSentence& finding : findings) {
    to.push_back(plain(finding.text));
    bool first = true;
    for (const FixLine& line : lines_of_fix(finding.fix, style)) {
      const Line said = line.is_command() ? code(line.text) : plain(line.text);
      to.push_back(first ? strong("do:") + plain(" ") + said : said);
      first = false;
    }
  }
}

Cell lines_of(const std::vector<std::string>& sentences) {
  Cell result;
  result.reserve(sentences.size());
  for (const std::string& sentence : sentences) result.push_back(plain(sentence));
  return result;
}

}  // namespace

Line origin_of(const model::SourceInfo& source) {
  std::vector<std::string> parts;
  if (source.kind == "snapshot") {
    parts.push_back(fmt::format("snapshot of {}",
                                source.context.empty()
                                    ? (source.server.empty() ? source.saved_from : source.server)
                                    : source.context));
  } else if (source.kind == "cluster") {
    parts.push_back(source.context.empty() ? "cluster" : fmt::format("cluster {}", source.context));
    if (!source.server.empty()) parts.push_back(source.server);
  } else if (source.kind == "files") {
    parts.push_back(source.paths.empty() ? std::string("files")  // their names are redacted
                                         : fmt::format("files {}", fmt::join(source.paths, ", ")));
  } else {
    parts.emplace_back("the embedded cluster");
  }
  if (!source.server_version.empty()) {
    parts.push_back(fmt::format("Kubernetes {}", source.server_version));
  }
  if (source.kind == "snapshot" || source.kind == "cluster") {
    parts.push_back(fmt::format("read {}", diagnosis::format_utc(source.read_at)));
  }
  std::ranges::move(counts_of_input(source), std::back_inserter(parts));
  if (source.as_of) parts.push_back(fmt::format("as of {}", diagnosis::format_utc(*source.as_of)));
  return plain(fmt::format("{}", fmt::join(parts, ", ")));
}

Tone tone_of(diagnosis::NodeVerdict verdict) {
  switch (verdict_color(verdict)) {
    case Color::Red: return Tone::Wrong;
    case Color::Yellow: return Tone::Waiting;
    case Color::Green: return Tone::Good;
    case Color::Dim: return Tone::Quiet;
    case Color::StrongRed:
    case Color::Cyan:
    case Color::Plain:
    case Color::Bold: break;
  }
  return Tone::Plain;
}

Line verdict_words(diagnosis::NodeVerdict verdict) {
  return strong(to_string(verdict), tone_of(verdict));
}

Cell cell(std::string_view text) { return {plain(text)}; }

Line names_line(const std::vector<model::Text>& names, const Style& style) {
  constexpr std::size_t most = 5;
  const std::size_t shown = style.lists_every_node() ? names.size() : std::min(most, names.size());
  Line result;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) result.push_back({Span::Kind::Text, ", ", Tone::Plain});
    result.push_back({Span::Kind::Code, names[i].str(), Tone::Plain});
  }
  if (names.size() > shown) {
    result.push_back(
        {Span::Kind::Text, fmt::format(" and {} more", names.size() - shown), Tone::Plain});
  }
  return result;
}

Cell why(const diagnosis::NodeReport& node, ExplainedTaints& explained, const Presentation& style) {
  Cell result = lines_of(reason_sentences(node, explained));
  add_findings(result, finding_sentences(node, style), style);
  return result;
}

Cell why(const diagnosis::NodeGroup& group, const diagnosis::NodeReports& nodes,
         ExplainedTaints& explained, const Presentation& style) {
  Cell result = lines_of(reason_sentences(group, explained));
  add_findings(result, finding_sentences(group, nodes, style), style);
  return result;
}

void add_fix(std::vector<Block>& blocks, const std::vector<FixLine>& fix) {
  for (const FixLine& line : fix) {
    if (line.is_command()) {
      add_command(blocks, line.text);
    } else if (!line.text.empty()) {
      blocks.emplace_back(Paragraph{plain(line.text)});
    }
  }
}

void add_paragraph(std::vector<Block>& blocks, std::string_view text) {
  if (!text.empty()) blocks.emplace_back(Paragraph{plain(text)});
}

void add_command(std::vector<Block>& blocks, std::string_view line) {
  auto* before = blocks.empty() ? nullptr : std::get_if<Commands>(&blocks.back());
  if (before != nullptr) {
    before->text += fmt::format("\n{}", line);
  } else {
    blocks.emplace_back(Commands{std::string(line), "sh"});
  }
}

void add_omissions(std::vector<Block>& blocks, const std::vector<model::Omission>& omissions) {
  if (omissions.empty()) return;
  Bullets bullets;
  for (const std::string& sentence : omission_sentences(omissions)) {
    bullets.items.push_back(plain(sentence));
  }
  blocks.emplace_back(Heading{2, plain("What could not be read")});
  blocks.emplace_back(std::move(bullets));
}

void add_timeline(std::vector<Block>& blocks, const diagnosis::Timeline& timeline) {
  blocks.emplace_back(
      Paragraph{strong("Timeline") + plain(fmt::format(" ({})", limits_of(timeline)))});
  if (timeline.entries.empty()) {
    blocks.emplace_back(Paragraph{plain("Nothing is known.")});
    return;
  }
  Table table{{plain("when"), plain("object"), plain("what")}, {}};
  for (const diagnosis::TimelineEntry& entry : timeline.entries) {
    table.rows.push_back({cell(fmt::format("{}{}", entry.upper_bound ? "≤ " : "",
                                           diagnosis::format_utc(entry.time))),
                          cell(entry.object), cell(entry.text)});
  }
  blocks.emplace_back(std::move(table));
}

}  // namespace dsdoctor::render
