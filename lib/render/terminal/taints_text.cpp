// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"
#include "render/words/taint_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::DaemonSetRow;
using diagnosis::TaintCell;
using diagnosis::TaintMatrix;
using diagnosis::TaintRow;
using diagnosis::Treatment;

constexpr std::size_t least_name_room = 22;  // width of the names beside a matrix, in columns
constexpr std::size_t most_lines = 60;       // maximum of the whole answer

constexpr TaintMark all_marks[] = {TaintMark::Tolerated, TaintMark::Automatic, TaintMark::Not,
                                   TaintMark::Some, TaintMark::Advised};

std::string sign(TaintMark mark, const Style& style) {
  switch (mark) {
    case TaintMark::Tolerated: return tick(style);
    case TaintMark::Automatic: return paint(style, Color::Green, "a");
    case TaintMark::Not: return paint(style, Color::Dim, style.unicode ? "·" : "-");
    case TaintMark::Some: return paint(style, Color::Yellow, "~");
    case TaintMark::Advised: return paint(style, Color::Yellow, "!");
  }
  return "";
}

/// One line of the matrix: DaemonSets with the same marks.
struct MatrixLine {
  std::vector<TaintMark> marks;
  std::vector<const DaemonSetRow*> of;
};

std::string name_of(const DaemonSetRow& row) {
  return base::printable_line(fmt::format("{}/{}", row.ns.view(), row.name.view()));
}

/// "Exists of any taint", "dedicated=db:NoSchedule".
std::string toleration_text(const model::Toleration& toleration) {
  std::string result = toleration.key.empty() ? std::string("any key") : toleration.key.str();
  if (!toleration.value.empty()) result += fmt::format("={}", toleration.value.view());
  if (!toleration.effect.empty()) result += fmt::format(":{}", toleration.effect.view());
  return fmt::format("{} {}", toleration.op.empty() ? "Equal" : toleration.op.view(), result);
}

std::string heading(const TaintRow& row, std::size_t number) {
  return base::printable_line(
      fmt::format("{}  {}    {}", number, taint_title(row), counted(row.nodes.size(), "node")));
}

std::string node_names(const TaintRow& row, const model::SourceInfo& source, const Style& style) {
  std::vector<model::Text> names;
  for (const auto& node : row.nodes) names.push_back(node.name);
  if (!style.lists_every_node()) {
    std::string result = name_list(names);
    if (row.since) {
      result += fmt::format("    {}since {} ({})", row.nodes.size() > 1 ? "the first " : "",
                            diagnosis::format_utc(*row.since),
                            base::age_text(*row.since, source.moment()));
    }
    return wrapped(style, 4, result);
  }
  std::string result;
  for (const auto& node : row.nodes) {
    std::string line = node.name.str();
    if (row.value_varies) line += fmt::format("    {}", node.value.view());
    if (node.since) {
      line += fmt::format("    since {} ({})", diagnosis::format_utc(*node.since),
                          base::age_text(*node.since, source.moment()));
    }
    result += wrapped(style, 4, base::printable_line(line));
  }
  return result;
}

/// A line for each DaemonSet that tolerates the taint, with the matching toleration.
std::string tolerated_by(const TaintMatrix& matrix, std::size_t taint, const Style& style) {
  std::string result;
  for (const DaemonSetRow& row : matrix.daemon_sets) {
    const TaintCell& cell = row.cells[taint];
    if (!cell.by) continue;
    const std::string which = cell.treatment == Treatment::Automatic
                                  ? std::string("by default")
                                  : fmt::format("tolerations[{}]", cell.index);
    result += wrapped(style, 4,
                      fmt::format("tolerated by {}: {}, {}", name_of(row), which,
                                  base::printable_line(toleration_text(*cell.by))));
  }
  return result;
}

std::string taint_lines(const TaintMatrix& matrix, std::size_t index,
                        const model::SourceInfo& source, const Style& style) {
  const TaintRow& row = matrix.taints[index];
  std::string result = wrapped(style, 0, heading(row, index + 1));
  result += node_names(row, source, style);
  if (!row.decides) {
    result += wrapped(style, 4, "Ignored: this effect excludes no DaemonSet pod.");
  }
  if (row.known == nullptr) {
    result += wrapped(style, 4, "Unknown taint; describe it with --taints-file.");
  } else {
    result += wrapped(style, 4, base::printable_line(known_clause(*row.known)));
    if (style.wide && !row.known->advice.empty()) {
      result += wrapped(style, 4, base::printable_line(row.known->advice));
    }
  }
  if (style.wide || matrix.daemon_sets.size() == 1) result += tolerated_by(matrix, index, style);
  return result;
}

std::vector<MatrixLine> lines_of(const TaintMatrix& matrix, std::size_t first, std::size_t end,
                                 bool together) {
  std::vector<MatrixLine> result;
  for (const DaemonSetRow& row : matrix.daemon_sets) {
    std::vector<TaintMark> marks;
    for (std::size_t i = first; i < end; ++i) {
      marks.push_back(mark_of(row.cells[i], matrix.taints[i]));
    }
    const auto same =
        together ? std::ranges::find(result, marks, &MatrixLine::marks) : result.end();
    if (same != result.end()) {
      same->of.push_back(&row);
    } else {
      result.push_back({std::move(marks), {&row}});
    }
  }
  return result;
}

std::string all_names(const MatrixLine& line) {
  return base::listed(
      line.of.size(), [&](std::size_t i) { return name_of(*line.of[i]); }, line.of.size());
}

/// As many names as fit beside the marks of the line.
std::string names_in_line(const MatrixLine& line, std::size_t indent, const Style& style) {
  std::vector<model::Text> names;
  names.reserve(line.of.size());
  for (const DaemonSetRow* row : line.of) names.emplace_back(name_of(*row));
  const std::size_t room = style.width > indent ? style.width - indent : 0;
  return names_within(names, style.width == 0 ? std::size_t(-1) : room);
}

/// The columns [`first`, `end`) of the matrix, each `cell_width` wide.
std::string block(const TaintMatrix& matrix, std::size_t first, std::size_t end,
                  std::size_t cell_width, const Presentation& style) {
  const bool folds = budget_for(style, {0, most_lines}).is_limited();
  std::string result;
  for (std::size_t i = first; i < end; ++i) result += fmt::format("{:>{}}", i + 1, cell_width);
  result = paint(style, Color::Bold, result) + "\n";
  const std::size_t indent = (end - first) * cell_width + 2;
  for (const MatrixLine& line : lines_of(matrix, first, end, !style.lists_every_node())) {
    std::string marks;
    for (const TaintMark mark : line.marks) {
      marks += std::string(cell_width - 1, ' ') + sign(mark, style);
    }
    const std::string names = folds ? names_in_line(line, indent, style) : all_names(line);
    result += marks + "  " + wrapped(style, indent, names).substr(indent);
  }
  return result;
}

std::string legend(const TaintMatrix& matrix, const Style& style) {
  std::string result = "DaemonSets, by the numbers above:";
  bool first = true;
  for (const TaintMark mark : all_marks) {
    const bool used = std::ranges::any_of(matrix.daemon_sets, [&](const DaemonSetRow& row) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (mark_of(row.cells[i], matrix.taints[i]) == mark) return true;
      }
      return false;
    });
    if (!used) continue;
    result += fmt::format("{} {} {}", first ? "" : ",", sign(mark, style), meaning(mark));
    first = false;
  }
  return wrapped(style, 0, result);
}

std::string matrix_lines(const TaintMatrix& matrix, const Presentation& style) {
  const std::size_t count = matrix.taints.size();
  const std::size_t cell_width = std::to_string(count).size() + 1;
  std::size_t columns = count;
  if (style.width != 0) {
    const std::size_t room = style.width > least_name_room ? style.width - least_name_room : 0;
    columns = std::clamp<std::size_t>(room / cell_width, 4, count < 4 ? 4 : count);
  }
  std::string result = legend(matrix, style);
  for (std::size_t first = 0; first < count; first += columns) {
    if (first != 0) result += "\n";
    result += block(matrix, first, std::min(first + columns, count), cell_width, style);
  }
  return result;
}

/// The lines below the row of a taint.
Lines beside_row(const TaintMatrix& matrix, std::size_t index, const Style& style) {
  const TaintRow& row = matrix.taints[index];
  std::string result;
  if (!row.decides) {
    result += wrapped(style, 4, "Ignored: this effect excludes no DaemonSet pod.");
  }
  if (row.known != nullptr) {
    result += wrapped(style, 4, base::printable_line(known_clause(*row.known)));
  }
  constexpr std::size_t most_values = 3;
  for (std::size_t i = 0; i < std::min(most_values, row.known_values.size()); ++i) {
    const auto& [value, known] = row.known_values[i];
    result += wrapped(style, 4,
                      base::printable_line(fmt::format(
                          "{}: {}", value.empty() ? "\"\"" : value.view(), known_clause(*known))));
  }
  if (row.known_values.size() > most_values) {
    result += fmt::format("    {} more values are known: -o wide lists them\n",
                          row.known_values.size() - most_values);
  }
  if (matrix.daemon_sets.size() == 1) result += tolerated_by(matrix, index, style);
  return lines_of_text(result);
}

/// A row for each key and effect, with explanations below the rows if all of them fit.
Lines taint_table(const TaintMatrix& matrix, std::size_t room, const model::SourceInfo& source,
                  const Style& style) {
  constexpr std::size_t nodes_column = 5;
  Grid grid = grid_of(tables::taints);
  std::vector<Lines> more;
  grid.rows.reserve(matrix.taints.size());
  std::size_t lines = 1 + matrix.taints.size();
  for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
    const TaintRow& row = matrix.taints[i];
    grid.rows.push_back(
        {std::to_string(i + 1),
         base::printable_line(fmt::format("{}:{}", row.taint.key.view(), row.taint.effect.view())),
         values_of(row), grouped_digits(row.nodes.size()),
         row.since ? base::age_text(*row.since, source.moment()) : "-", ""});
    lines += more.emplace_back(beside_row(matrix, i, style)).size();
  }
  // Long taints leave no width for names beside them; then names are below the rows if they fit.
  constexpr std::size_t least_columns = 24;
  const std::size_t columns = room_for(grid, nodes_column, style);
  const bool below = columns < least_columns && lines + matrix.taints.size() <= room &&
                     !base::same_ignoring_case(grid.columns[nodes_column].title, style.sort_by);
  if (below) grid.columns.pop_back();
  for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
    std::vector<model::Text> names;
    for (const auto& node : matrix.taints[i].nodes) names.push_back(node.name);
    if (below) {
      constexpr std::string_view lead = "    on ";
      const std::size_t left = style.width - std::min(style.width, lead.size());
      more[i].insert(more[i].begin(), fmt::format("{}{}", lead, names_within(names, left)));
    } else {
      grid.rows[i][nodes_column] = names_within(names, columns);
    }
  }
  if (lines <= room) grid.below = std::move(more);
  return grid_lines(grid, room, style);
}

/// "3 taints on 2 of 9 nodes"
std::string counts_of(const TaintMatrix& matrix, const Style& style) {
  if (!matrix.nodes_known) {
    return fmt::format("{} {}", paint(style, Color::Yellow, "?"), no_node_for_taints);
  }
  if (matrix.taints.empty()) {
    return fmt::format("{} on {}", paint(style, Color::Bold, "No taints"),
                       grouped_count(matrix.nodes, "node"));
  }
  const std::string count = counted(matrix.taints.size(), "taint");
  return fmt::format("{} on {} of {}", paint(style, Color::Bold, count),
                     grouped_digits(matrix.tainted_nodes), grouped_count(matrix.nodes, "node"));
}

}  // namespace

std::string taints_text(const TaintMatrix& every_value, const model::SourceInfo& source,
                        const std::vector<model::Omission>& omissions, const Presentation& style) {
  const TaintMatrix matrix =
      style.lists_every_node() ? every_value : diagnosis::with_values_folded(every_value);
  const Budget budget = budget_for(style, {0, most_lines});
  Lines result =
      lines_of_text(wrapped(style, 0, counts_of(matrix, style) + cluster_suffix(source)));
  Lines who;
  if (!matrix.taints.empty() && !matrix.daemon_sets.empty()) {
    who = lines_of_text(matrix_lines(matrix, style));
  } else if (!matrix.taints.empty()) {
    who = lines_of_text(
        wrapped(style, 0, "No DaemonSet selected (-A selects those of all namespaces)."));
  }
  Lines unknown = lines_of_text(omission_lines(omissions, style));
  const std::size_t fixed = result.size() + unknown.size() + 3;
  const std::size_t all = lines_in_all(budget, fixed, style.is_small_screen() ? 5 : 10) - fixed;
  const std::size_t room_of_taints = all - std::min(who.size(), all / 2);
  if (style.lists_every_node()) {
    for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
      add_part(result, lines_of_text(taint_lines(matrix, i, source, style)));
    }
  } else {
    add_part(result, taint_table(matrix, room_of_taints, source, style));
  }
  const std::size_t taken = result.size();
  add_part(result,
           cut_off(std::move(who), budget.is_limited() ? all + 2 - std::min(taken, all) : all));
  add_part(result, std::move(unknown));
  return joined_lines(result);
}

}  // namespace dsdoctor::render
