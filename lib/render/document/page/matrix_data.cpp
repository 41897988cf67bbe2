// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "render/document/page/sheet.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render::page {
namespace {

using diagnosis::MatrixCell;
using diagnosis::NodeClass;
using diagnosis::NodeVerdict;
using diagnosis::PlacementMatrix;

std::string_view symbol_of(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::Missing: return "×";
    case NodeVerdict::Failed: return "†";
    case NodeVerdict::Duplicate: return "²";
    case NodeVerdict::Misscheduled: return "!";
    case NodeVerdict::Removing: return "−";
    case NodeVerdict::Pending: return "~";
    case NodeVerdict::NotReady: return "○";
    case NodeVerdict::Terminating: return "↓";
    case NodeVerdict::Excluded: return "·";
    case NodeVerdict::Running: return "✓";
    case NodeVerdict::Unknown: return "?";
  }
  return "";
}

/// The verdict as it is shown: a running pod may be misscheduled if its node was not read.
NodeVerdict shown_verdict(NodeVerdict verdict, const diagnosis::DaemonSetReport& report) {
  return verdict == NodeVerdict::Running && !report.evaluated.nodes_known ? NodeVerdict::Unknown
                                                                          : verdict;
}

constexpr std::string_view several = "±";
constexpr std::size_t many_columns = 30;

class MatrixData {
 public:
  MatrixData(const Sheet& sheet, const PlacementMatrix& matrix) : sheet_(sheet), matrix_(matrix) {
    for (const NodeClass& each : matrix.classes) columns_.push_back(&each);
    if (!matrix.rest.nodes.empty()) columns_.push_back(&matrix.rest);
  }

  [[nodiscard]] Json data() {
    Json rows = Json::array();
    const std::size_t shown = matrix_.daemon_sets.size();
    for (std::size_t row = 0; row < shown; ++row) rows.push_back(row_data(row));
    Json result = {{"poolLabel", matrix_.label == diagnosis::role_prefix ? "role" : matrix_.label},
                   {"pooled", !matrix_.label.empty()},
                   {"groups", groups_data()},
                   {"columns", columns_data()},
                   {"rows", std::move(rows)},
                   {"width", columns_.size()},
                   {"dense", columns_.size() > many_columns},
                   {"legend", legend_data()},
                   {"more", sheet_.troubled.size() > shown
                                ? fmt::format("{} more with a problem",
                                              grouped_digits(sheet_.troubled.size() - shown))
                                : std::string()},
                   {"restNote", rest_note()}};
    add_healthy(result);
    return result;
  }

 private:
  [[nodiscard]] static std::size_t width_of(const NodeClass& each) {
    constexpr std::size_t widest = 5;
    return std::min(widest, std::to_string(each.nodes.size()).size());
  }

  /// The name of a class within its pool.
  [[nodiscard]] std::string name_of(const NodeClass& each, bool alone) const {
    constexpr std::size_t longest = 28;
    if (&each == &matrix_.rest) {
      return fmt::format("{} more classes", grouped_digits(matrix_.classes_of_rest));
    }
    const model::Text& first = sheet_.index.names()[each.nodes.front()];
    std::string name = first.str();
    if (each.nodes.size() > 1) {
      if (alone && !each.pool.empty()) return "all";
      if (each.trait.empty()) {
        constexpr std::string_view more = " ...";
        name = base::printable_line(name);
        return name_within(name, longest - more.size()).append(more);
      }
      name = each.trait;
    }
    return name_within(base::printable_line(name), longest);
  }

  /// Columns of the same pool are neighbours.
  [[nodiscard]] Json groups_data() const {
    Json result = Json::array();
    for (std::size_t i = 0; i < columns_.size();) {
      const bool is_rest = columns_[i] == &matrix_.rest;
      Json widths = Json::array();
      std::size_t end = i;
      while (end < columns_.size() && columns_[end]->pool == columns_[i]->pool &&
             (columns_[end] == &matrix_.rest) == is_rest) {
        widths.push_back(width_of(*columns_[end++]));
      }
      const std::string_view pool = columns_[i]->pool;
      result.push_back({{"pool", is_rest || pool.empty() ? std::string(is_rest ? "all" : "-")
                                                         : base::printable_line(pool)},
                        {"span", end - i},
                        {"cols", std::move(widths)}});
      i = end;
    }
    return result;
  }

  [[nodiscard]] Json columns_data() const {
    Json result = Json::array();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const NodeClass& each = *columns_[i];
      const auto same = [&](std::size_t other) {
        return other < columns_.size() && columns_[other]->pool == each.pool;
      };
      result.push_back({{"index", i},
                        {"name", name_of(each, !same(i - 1) && !same(i + 1))},
                        {"count", grouped_digits(each.nodes.size())}});
    }
    return result;
  }

  [[nodiscard]] Json cell_data(const MatrixCell& cell, const NodeClass& of,
                               const diagnosis::DaemonSetReport& report) {
    std::string symbol(several);
    std::string verdict = "several verdicts";
    if (cell.verdict) {
      const NodeVerdict shown = shown_verdict(*cell.verdict, report);
      symbol = symbol_of(shown);
      verdict = to_string(shown);
      used_.insert(shown);
    } else {
      has_several_ = true;
    }
    if (!cell.problem) {
      const bool is_good = cell.verdict == NodeVerdict::Running && symbol == "✓";
      return {{"wrong", false}, {"right", {{"tone", is_good ? "good" : ""}, {"symbol", symbol}}}};
    }
    if (cell.nodes != of.nodes.size()) {
      verdict += fmt::format(" on {} of {}", grouped_digits(cell.nodes),
                             grouped_count(of.nodes.size(), "node"));
    } else if (cell.nodes > 1) {
      verdict += fmt::format(" on {}", grouped_count(cell.nodes, "node"));
    }
    const auto& problem = sheet_.explanation.problems.problems[*cell.problem];
    return {{"right", false},
            {"wrong",
             {{"tone", tone_of(problem)},
              {"tip", verdict},
              {"symbol", symbol},
              {"problem", *cell.problem + 1}}}};
  }

  [[nodiscard]] Json row_data(std::size_t row) {
    const auto& report = sheet_.report(matrix_.daemon_sets[row]);
    Json cells = Json::array();
    for (const NodeClass* each : columns_) {
      cells.push_back(cell_data(each->cells[row], *each, report));
    }
    const std::string name = base::printable_line(full_name(report));
    return {{"ds", name}, {"target", link_to(anchor_of("d", name))}, {"cells", std::move(cells)}};
  }

  [[nodiscard]] Json legend_data() const {
    Json result = Json::array();
    for (const NodeVerdict verdict : used_) {
      const bool is_good = verdict == NodeVerdict::Running;
      result.push_back({{"tone", is_good ? "good" : ""},
                        {"symbol", symbol_of(verdict)},
                        {"meaning", to_string(verdict)}});
    }
    if (has_several_) {
      result.push_back({{"tone", ""}, {"symbol", several}, {"meaning", "several verdicts"}});
    }
    result.push_back({{"tone", "wrong"}, {"symbol", "■"}, {"meaning", "needs action"}});
    result.push_back({{"tone", "waiting"}, {"symbol", "■"}, {"meaning", "overdue"}});
    result.push_back({{"tone", "later"}, {"symbol", "■"}, {"meaning", "resolves without action"}});
    return result;
  }

  [[nodiscard]] std::string rest_note() const {
    if (matrix_.rest.nodes.empty()) return {};
    return fmt::format("the last column joins {} of {}: a cell has the first of their problems",
                       grouped_digits(matrix_.classes_of_rest),
                       grouped_count(matrix_.rest.nodes.size(), "node"));
  }

  /// One row for the other DaemonSets.
  void add_healthy(Json& result) const {
    const Others others(sheet_);
    result["healthy"] = false;
    if (others.count == 0) return;
    result["healthy"] = others.row();
    result["healthyMark"] = others.healthy ? "✓" : others.label;
  }

  const Sheet& sheet_;
  const PlacementMatrix& matrix_;
  std::vector<const NodeClass*> columns_;
  std::set<NodeVerdict> used_;
  bool has_several_ = false;
};

}  // namespace

void add_matrix(Json& data, const Sheet& sheet, const PlacementMatrix& matrix) {
  data["matrix"] = false;
  if (matrix.classes.empty()) return;
  data["matrix"] = MatrixData(sheet, matrix).data();
}

}  // namespace dsdoctor::render::page
