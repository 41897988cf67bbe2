#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/terminal/texts.h"
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

constexpr std::size_t least_name_room = 22;  // columns beside a matrix

constexpr TaintMark all_marks[] = {TaintMark::Tolerated, TaintMark::Automatic, TaintMark::Not,
                                   TaintMark::Wanted};

std::string sign(TaintMark mark, const Style& style) {
  switch (mark) {
    case TaintMark::Tolerated: return tick(style);
    case TaintMark::Automatic: return paint(style, Color::Green, "a");
    case TaintMark::Not: return paint(style, Color::Dim, style.unicode ? "·" : "-");
    case TaintMark::Wanted: return paint(style, Color::Yellow, "!");
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
      result +=
          fmt::format("    {}since {} ({})", row.nodes.size() > 1 ? "the first " : "",
                      diagnosis::format_utc(*row.since), age_text(*row.since, source.read_at));
    }
    return wrapped(style, 4, result);
  }
  std::string result;
  for (const auto& node : row.nodes) {
    std::string line = node.name.str();
    if (row.value_varies) line += fmt::format("    {}", node.value.view());
    if (node.since) {
      line += fmt::format("    since {} ({})", diagnosis::format_utc(*node.since),
                          age_text(*node.since, source.read_at));
    }
    result += wrapped(style, 4, base::printable_line(line));
  }
  return result;
}

/// Which toleration it is, of each DaemonSet that tolerates the taint.
std::string tolerated_by(const TaintMatrix& matrix, std::size_t taint, const Style& style) {
  std::string result;
  for (const DaemonSetRow& row : matrix.daemon_sets) {
    const TaintCell& cell = row.cells[taint];
    if (!cell.by) continue;
    const std::string which = cell.treatment == Treatment::Automatic
                                  ? std::string("the controller's own")
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
    result += wrapped(style, 4, "Never decides: this effect keeps no DaemonSet's pod away.");
  }
  if (row.known == nullptr) {
    result += wrapped(style, 4, "Not among the known taints; --taints-file teaches it.");
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

/// The columns `first` to `end`, of `cell_width` each.
std::string block(const TaintMatrix& matrix, std::size_t first, std::size_t end,
                  std::size_t cell_width, const Presentation& style) {
  std::string result;
  for (std::size_t i = first; i < end; ++i) result += fmt::format("{:>{}}", i + 1, cell_width);
  result = paint(style, Color::Bold, result) + "\n";
  const std::size_t indent = (end - first) * cell_width + 2;
  for (const MatrixLine& line : lines_of(matrix, first, end, !style.lists_every_node())) {
    std::string marks;
    for (const TaintMark mark : line.marks) {
      marks += std::string(cell_width - 1, ' ') + sign(mark, style);
    }
    std::string names;
    for (const DaemonSetRow* row : line.of) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(*row));
    }
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
  std::string result = "\n" + legend(matrix, style);
  for (std::size_t first = 0; first < count; first += columns) {
    if (first != 0) result += "\n";
    result += block(matrix, first, std::min(first + columns, count), cell_width, style);
  }
  return result;
}

}  // namespace

std::string taints_text(const TaintMatrix& matrix, const model::SourceInfo& source,
                        const std::vector<model::Omission>& omissions, const Presentation& style) {
  std::string result = paint(
      style, Color::Bold,
      matrix.taints.empty() ? std::string("No taints") : counted(matrix.taints.size(), "taint"));
  result += fmt::format(" on {} of {}", matrix.tainted_nodes, counted(matrix.nodes, "node"));
  if (!source.server_version.empty()) {
    result += fmt::format("    Kubernetes {}", base::printable_line(source.server_version));
  }
  result += "\n";
  for (std::size_t i = 0; i < matrix.taints.size(); ++i) {
    result += "\n" + taint_lines(matrix, i, source, style);
  }
  if (!matrix.taints.empty() && !matrix.daemon_sets.empty()) result += matrix_lines(matrix, style);
  if (!matrix.taints.empty() && matrix.daemon_sets.empty()) {
    result +=
        "\n" + wrapped(style, 0, "No DaemonSet was looked at; -A takes those of all namespaces.");
  }
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

}  // namespace dsdoctor::render
