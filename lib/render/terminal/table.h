// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/words/style.h"

namespace dsdoctor::render {

using Lines = std::vector<std::string>;  // without newlines

struct GridColumn {
  std::string_view title;
  bool right = false;  // numbers
};

/// The tables of the answers; --sort-by accepts their titles.
namespace tables {
inline constexpr GridColumn overview[] = {
    {"DAEMONSET"},          {"DESIRED", true},      {"READY", true}, {"MISSING", true},
    {"MISSCHEDULED", true}, {"NOT ELIGIBLE", true}, {"PROBLEMS"}};
inline constexpr GridColumn differences[] = {
    {"DAEMONSET"}, {"MISSING", true}, {"UNEXPECTED", true}, {"NODES"}, {"PROBLEM"}};
inline constexpr GridColumn node[] = {{"DAEMONSET"}, {"VERDICT"}, {"REASON"}};
inline constexpr GridColumn taints[] = {{"#", true},     {"TAINT"},       {"VALUES"},
                                        {"NODES", true}, {"SINCE", true}, {"ON"}};
inline constexpr GridColumn fleet[] = {
    {"CLUSTER"}, {"NODES", true}, {"DAEMONSETS", true}, {"AFFECTED", true}, {"PROBLEMS"}};
inline constexpr GridColumn findings[] = {{"ID"}, {"SEVERITY"}, {"SCOPE"}, {"MEANING"}};
}  // namespace tables

/// A table in kubectl's format.
struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<std::string>> rows;  // one cell for each column
  std::vector<Lines> below = {};               // the lines below each row; may be empty
};

/// A table without rows.
[[nodiscard]] inline Grid grid_of(std::span<const GridColumn> columns) {
  return {{columns.begin(), columns.end()}, {}, {}};
}

/// A heading (unless `style` has none) and a line for each row in at most `room` lines (at least
/// three, not counting `below`); rows that do not fit are counted. Sorted by the column in `style`
/// if `grid` has it: numbers and ages descending, other cells ascending, a dash last; the sort is
/// stable.
[[nodiscard]] Lines grid_lines(const Grid& grid, std::size_t room, const Style& style);

/// The width of the terminal left for column `at` beside the widest cells of the other columns.
[[nodiscard]] std::size_t room_for(const Grid& grid, std::size_t at, const Style& style);

/// "kube-sys.../kube-proxy": if the full name does not fit, the namespace is shortened.
[[nodiscard]] std::string full_name_within(const std::string& full_name, std::size_t columns);

}  // namespace dsdoctor::render
