// SPDX-License-Identifier: Apache-2.0
#include "render/document/page/block_data.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"

namespace dsdoctor::render::page {
namespace {

Json lines_data(const std::vector<Line>& lines) {
  Json result = Json::array();
  for (const Line& line : lines) result.push_back({{"line", line_data(line)}});
  return result;
}

/// A cell with one line has it in `only`.
Json cell_data(const Cell& cell) {
  const bool is_one = cell.size() == 1;
  return {{"only", is_one ? Json{{"line", line_data(cell.front())}} : Json(false)},
          {"lines", is_one ? Json(false) : lines_data(cell)}};
}

/// A block has the keys of all kinds, because a missing one would be looked up in the blocks around
/// it.
Json with_kind(std::string_view kind, Json value) {
  Json result;
  for (const char* each : {"h2", "h3", "p", "ul", "table", "pre", "details"}) result[each] = false;
  result[std::string(kind)] = std::move(value);
  return result;
}

class BlockData {
 public:
  Json operator()(const Heading& heading) {
    if (heading.level != 2) return with_kind("h3", {{"line", line_data(heading.text)}});
    return with_kind(
        "h2", {{"anchor", fmt::format("s{}", ++sections_)}, {"line", line_data(heading.text)}});
  }
  Json operator()(const Paragraph& paragraph) {
    return with_kind("p", {{"line", line_data(paragraph.text)}});
  }
  Json operator()(const Bullets& bullets) {
    return with_kind("ul", {{"items", lines_data(bullets.items)}});
  }
  Json operator()(const Table& table) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) cells.push_back(cell_data(cell));
      rows.push_back({{"cells", std::move(cells)}});
    }
    return with_kind("table", {{"columns", lines_data(table.columns)}, {"rows", std::move(rows)}});
  }
  Json operator()(const Commands& commands) {
    return with_kind("pre", {{"commands", commands.text}});
  }
  Json operator()(const Details& details) {
    Json inner = Json::array();
    for (const PlainBlock& block : details.blocks) inner.push_back(std::visit(*this, block));
    return with_kind("details", {{"summary", {{"line", line_data(details.summary)}}},
                                 {"inner", std::move(inner)}});
  }

 private:
  std::size_t sections_ = 0;
};

}  // namespace

std::string_view name_of(Tone tone) {
  switch (tone) {
    case Tone::Plain: return "";
    case Tone::Good: return "good";
    case Tone::Waiting: return "waiting";
    case Tone::Wrong: return "wrong";
    case Tone::Quiet: return "quiet";
  }
  return "";
}

Json line_data(const Line& line) {
  Json result = Json::array();
  for (const Span& span : line) {
    result.push_back({{"text", base::printable_line(span.text)},
                      {"tone", name_of(span.tone)},
                      {"plain", span.kind == Span::Kind::Text},
                      {"code", span.kind == Span::Kind::Code},
                      {"strong", span.kind == Span::Kind::Strong}});
  }
  return result;
}

std::string text_of(const Line& line) {
  std::string result;
  for (const Span& span : line) result += span.text;
  return base::printable_line(result);
}

Json blocks_data(const std::vector<Block>& blocks) {
  BlockData data;
  Json result = Json::array();
  for (const Block& block : blocks) result.push_back(std::visit(data, block));
  return result;
}

}  // namespace dsdoctor::render::page
