// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

constexpr std::size_t gap = 2;

std::size_t width_of(const Grid& grid, std::size_t column, std::span<const std::size_t> rows,
                     const Style& style) {
  std::size_t result = style.headers ? grid.columns[column].title.size() : 0;
  for (const std::size_t i : rows) result = std::max(result, grid.rows[i][column].size());
  return result;
}

/// "1,204" as a number, or "2d5h" in seconds; -1 if the cell does not begin with a digit.
std::int64_t weight_of(std::string_view cell) {
  if (cell.empty() || !base::is_digit(cell.front())) return -1;
  std::int64_t total = 0;
  std::int64_t number = 0;
  for (const char c : cell) {
    if (base::is_digit(c)) {
      constexpr std::int64_t enough = 1'000'000'000'000;
      number = std::min(number * 10 + (c - '0'), enough);
    } else if (c != ',') {
      const std::int64_t unit = c == 'd' ? 86'400 : c == 'h' ? 3'600 : c == 'm' ? 60 : 1;
      total += std::exchange(number, 0) * unit;
    }
  }
  return total + number;
}

/// The number at the beginning of a cell such as a list of problems; the largest size_t if there is
/// none.
std::size_t leading_number(std::string_view cell) {
  auto number = std::size_t(-1);
  (void)std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return number;
}

/// The indexes of the rows, sorted as `style` requires.
std::vector<std::size_t> order_of(const Grid& grid, const Style& style) {
  std::vector<std::size_t> order(grid.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto column = std::ranges::find_if(grid.columns, [&](const GridColumn& each) {
    return base::same_ignoring_case(each.title, style.sort_by);
  });
  if (column == grid.columns.end()) return order;
  const auto at = static_cast<std::size_t>(column - grid.columns.begin());
  if (column->right) {
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t i) { return weight_of(grid.rows[i][at]); });
  } else {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const std::string_view cell = grid.rows[i][at];
      return std::tuple(cell == "-", leading_number(cell), cell);
    });
  }
  return order;
}

/// Widths of the columns for `rows`; 0 for a column that is left out.
using Widths = std::vector<std::size_t>;

std::size_t width_of_line(const Widths& widths) {
  std::size_t result = 0;
  for (const std::size_t width : widths) {
    if (width != 0) result += width + (result == 0 ? 0 : gap);
  }
  return result;
}

/// Makes a line fit the screen: leaves out columns of zeros, then narrows the widest columns of
/// names.
void narrow(Widths& widths, const Grid& grid, std::span<const std::size_t> rows,
            const Style& style) {
  constexpr std::size_t least = 12;
  for (std::size_t i = 0; i < widths.size() && width_of_line(widths) > style.width; ++i) {
    const bool is_sorted_by = base::same_ignoring_case(grid.columns[i].title, style.sort_by);
    const bool all_zero =
        std::ranges::all_of(rows, [&](std::size_t row) { return grid.rows[row][i] == "0"; });
    if (grid.columns[i].right && all_zero && !is_sorted_by) widths[i] = 0;
  }
  while (width_of_line(widths) > style.width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool can_narrow = !grid.columns[i].right && widths[i] > least;
      if (can_narrow && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return;
    const std::size_t too_much = width_of_line(widths) - style.width;
    widths[widest] = std::max(least, widths[widest] - std::min(widths[widest], too_much));
  }
}

/// `cell` in `columns`: names are shortened in the middle, lists at the end.
std::string cell_within(std::string_view cell, std::size_t columns) {
  if (columns_of(cell) <= columns) return std::string(cell);
  if (cell.find(' ') == std::string_view::npos) return name_within(cell, columns);
  constexpr std::size_t dots = 3;
  return shortened(std::string(cell), columns - dots);
}

/// A line of the cells that are not left out.
template <typename CellOf>
std::string row_line(const Grid& grid, const Widths& widths, CellOf&& cell_of, const Style& style) {
  std::string result;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string cell = cell_within(cell_of(i), widths[i]);
    const std::string pad(widths[i] - std::min(widths[i], cell.size()), ' ');
    result += std::string(result.empty() ? 0 : gap, ' ');
    result += grid.columns[i].right ? pad + cell : cell + pad;
  }
  result.resize(result.find_last_not_of(' ') + 1);
  const bool is_cut = style.fits_width() && columns_of(result) > style.width;
  return is_cut ? shortened(std::move(result), style.width - 3) : result;
}

}  // namespace

Lines grid_lines(const Grid& grid, std::size_t room, const Style& style) {
  if (grid.rows.empty()) return {};
  const std::vector<std::size_t> order = order_of(grid, style);
  const std::size_t all = grid.rows.size();
  const std::size_t titles = style.headers ? 1 : 0;
  const std::size_t shown = all + titles <= room ? all : room > titles + 1 ? room - titles - 1 : 1;
  const auto rows = std::span(order).first(shown);
  Widths widths;
  widths.reserve(grid.columns.size());
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    widths.push_back(width_of(grid, i, rows, style));
  }
  if (style.fits_width()) narrow(widths, grid, rows, style);
  const auto line = [&](auto&& cell_of) { return row_line(grid, widths, cell_of, style); };
  const auto title = [&](std::size_t i) { return grid.columns[i].title; };
  Lines result;
  if (style.headers) result.push_back(paint(style, Color::Bold, line(title)));
  for (const std::size_t i : rows) {
    result.push_back(line([&](std::size_t c) -> std::string_view { return grid.rows[i][c]; }));
    if (i < grid.below.size()) std::ranges::copy(grid.below[i], std::back_inserter(result));
  }
  if (shown < all) {
    result.push_back(fmt::format("{} more: --limit 0 lists {}", grouped_digits(all - shown),
                                 all - shown == 1 ? "it" : "them"));
  }
  return result;
}

std::size_t room_for(const Grid& grid, std::size_t at, const Style& style) {
  constexpr std::size_t least = 16;
  if (style.width == 0) return std::size_t(-1);
  std::size_t taken = 0;
  const std::vector<std::size_t> all = order_of(grid, style);
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (i != at) taken += width_of(grid, i, all, style) + gap;
  }
  return style.width > taken + least ? style.width - taken : least;
}

std::string full_name_within(const std::string& full_name, std::size_t columns) {
  const std::size_t slash = full_name.find('/');
  if (full_name.size() <= columns || slash == std::string::npos) return full_name;
  constexpr std::size_t least = 4;
  constexpr std::size_t dots = 3;
  const std::string name = full_name.substr(slash);
  const std::size_t kept = std::max(least, columns - std::min(columns, name.size() + dots));
  return kept + dots < slash ? shortened(full_name.substr(0, slash), kept) + name : full_name;
}

}  // namespace dsdoctor::render
