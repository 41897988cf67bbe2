// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "diagnosis/taints/taint_knowledge.h"
#include "render/document/report_parts.h"
#include "render/document/reports.h"
#include "render/words/taint_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::TaintMatrix;
using diagnosis::TaintRow;

Cell nodes_cell(const TaintRow& row, const model::SourceInfo& source, const Style& style) {
  std::vector<model::Text> names;
  names.reserve(row.nodes.size());
  for (const auto& node : row.nodes) names.push_back(node.name);
  Cell result = {plain(counted(names.size(), "node")), names_line(names, style)};
  if (row.since) {
    result.push_back(plain(fmt::format("{}since {} ({})", names.size() > 1 ? "the first " : "",
                                       diagnosis::format_utc(*row.since),
                                       base::age_text(*row.since, source.moment()))));
  }
  return result;
}

Cell known_cell(const TaintRow& row) {
  Cell result;
  if (!row.decides) {
    result.push_back(plain("Ignored: this effect excludes no DaemonSet pod."));
  }
  if (row.known == nullptr) {
    result.push_back(plain("Unknown taint; describe it with --taints-file."));
    return result;
  }
  result.push_back(plain(known_clause(*row.known)));
  if (!row.known->advice.empty()) result.push_back(plain(row.known->advice));
  return result;
}

Line mark_words(TaintMark mark) {
  switch (mark) {
    case TaintMark::Tolerated: return strong("yes", Tone::Good);
    case TaintMark::Automatic: return strong("automatic", Tone::Good);
    case TaintMark::Not: return {{Span::Kind::Text, "no", Tone::Quiet}};
    case TaintMark::Some: return strong("some values", Tone::Waiting);
    case TaintMark::Advised: return strong("no!", Tone::Waiting);
  }
  return {};
}

Table matrix_table(const TaintMatrix& matrix) {
  Table table{{plain("DaemonSet")}, {}};
  for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
    table.columns.push_back(plain(fmt::format("{}", i + 1)));
  }
  for (const auto& row : matrix.daemon_sets) {
    std::vector<Cell> cells = {{code(fmt::format("{}/{}", row.ns.view(), row.name.view()))}};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      cells.push_back({mark_words(mark_of(row.cells[i], matrix.taints[i]))});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string counts_of(const TaintMatrix& matrix) {
  if (!matrix.nodes_known) return fmt::format("{}.", no_node_for_taints);
  const std::string nodes = counted(matrix.nodes, "node");
  if (matrix.taints.empty()) return fmt::format("No taints on {}", nodes);
  return fmt::format("{} on {} of {}", counted(matrix.taints.size(), "taint"), matrix.tainted_nodes,
                     nodes);
}

}  // namespace

Document taints_document(const TaintMatrix& every_value, const Envelope& envelope,
                         const Style& style) {
  const TaintMatrix matrix =
      style.lists_every_node() ? every_value : diagnosis::with_values_folded(every_value);
  Document document{"Taints", origin_of(envelope.source), {}};
  document.blocks.emplace_back(Paragraph{plain(counts_of(matrix))});
  if (!matrix.taints.empty()) {
    Table table{{plain("#"), plain("taint"), plain("nodes"), plain("meaning")}, {}};
    for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
      const TaintRow& row = matrix.taints[i];
      Cell taint = {code(style.lists_every_node() ? taint_title(row)
                                                  : fmt::format("{}:{}", row.taint.key.view(),
                                                                row.taint.effect.view()))};
      const std::string values = style.lists_every_node() ? std::string() : values_of(row);
      if (!values.empty()) taint.push_back(plain(fmt::format("values: {}", values)));
      table.rows.push_back({cell(fmt::format("{}", i + 1)), std::move(taint),
                            nodes_cell(row, envelope.source, style), known_cell(row)});
    }
    document.blocks.emplace_back(std::move(table));
  }
  if (!matrix.taints.empty() && !matrix.daemon_sets.empty()) {
    document.blocks.emplace_back(Heading{2, plain("DaemonSets that tolerate them")});
    document.blocks.emplace_back(matrix_table(matrix));
    Bullets legend;
    for (const TaintMark mark :
         {TaintMark::Tolerated, TaintMark::Automatic, TaintMark::Not, TaintMark::Advised}) {
      legend.items.push_back(mark_words(mark) + plain(fmt::format(": {}", meaning(mark))));
    }
    document.blocks.emplace_back(std::move(legend));
  }
  add_omissions(document.blocks, envelope.omissions);
  return document;
}

std::vector<Block> what_if_blocks(const fixes::Changed& changed, const Style& style) {
  std::vector<Block> blocks;
  blocks.emplace_back(Heading{2, plain(what_if_title(changed))});
  for (const WhatIfEntry& entry : what_if_entries(changed, style)) {
    blocks.emplace_back(Paragraph{strong(entry.head)});
    Bullets bullets;
    for (const std::string& line : entry.lines) bullets.items.push_back(plain(line));
    if (!bullets.items.empty()) blocks.emplace_back(std::move(bullets));
  }
  return blocks;
}

void prepend(Document& document, const fixes::Changed& changed, const Style& style) {
  std::vector<Block> blocks = what_if_blocks(changed, style);
  document.blocks.insert(document.blocks.begin(), std::make_move_iterator(blocks.begin()),
                         std::make_move_iterator(blocks.end()));
}

}  // namespace dsdoctor::render
