#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.h"
#include "render/words/style.h"

namespace dsdoctor::render {

using Lines = std::vector<std::string>;  // without newlines

struct GridColumn {
  std::string_view title;
  bool right = false;  // numbers
};

/// The tables of the answers; their titles are what --sort-by takes.
namespace tables {
inline constexpr GridColumn overview[] = {{"DAEMONSET"},          {"DESIRED", true},
                                          {"READY", true},        {"MISSING", true},
                                          {"MISSCHEDULED", true}, {"PROBLEMS"}};
inline constexpr GridColumn differences[] = {
    {"DAEMONSET"}, {"MISSING", true}, {"UNEXPECTED", true}, {"NODES"}, {"PROBLEM"}};
inline constexpr GridColumn node[] = {{"DAEMONSET"}, {"VERDICT"}, {"REASON"}};
inline constexpr GridColumn taints[] = {{"#", true},     {"TAINT"},       {"VALUES"},
                                        {"NODES", true}, {"SINCE", true}, {"ON"}};
inline constexpr GridColumn findings[] = {{"ID"}, {"SEVERITY"}, {"SCOPE"}, {"MEANING"}};
}  // namespace tables

/// A table as kubectl prints it.
struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<std::string>> rows;  // a cell a column
  std::vector<Lines> below = {};               // what stands under each row; or nothing at all
};

/// One without rows.
[[nodiscard]] inline Grid grid_of(std::span<const GridColumn> columns) {
  return {{columns.begin(), columns.end()}, {}, {}};
}

/// A heading, unless `style` wants none, and a line a row in at most `room` lines (three at least);
/// what does not fit is counted, `below` is not. Sorted first, where `style` says by which column
/// and `grid` has it: numbers and ages the largest first, other cells from A to Z, a dash last,
/// equal ones as they stand.
[[nodiscard]] Lines grid_lines(const Grid& grid, std::size_t room, const Style& style);

/// Columns that all but the widest cells of the others leave for column `at` on a terminal.
[[nodiscard]] std::size_t room_for(const Grid& grid, std::size_t at, const Style& style);

/// "a, b and 21 more" in `columns`; one name at least.
[[nodiscard]] std::string names_within(const std::vector<model::Text>& names, std::size_t columns);
[[nodiscard]] std::string names_within(
    std::size_t count, const std::function<const model::Text&(std::size_t)>& name_of,
    std::size_t columns);

/// "kube-sys.../kube-proxy": where there is no room for all, as much of the namespace as there is.
[[nodiscard]] std::string full_name_within(const std::string& full_name, std::size_t columns);

}  // namespace dsdoctor::render
