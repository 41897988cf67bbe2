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

}  // namespace

Lines grid_lines(const Grid& grid, std::size_t room, const Style& style) {
  if (grid.rows.empty()) return {};
  const std::vector<std::size_t> order = order_of(grid, style);
  const std::size_t all = grid.rows.size();
  const std::size_t titles = style.headers ? 1 : 0;
  const std::size_t shown = all + titles <= room ? all : room > titles + 1 ? room - titles - 1 : 1;
  const auto rows = std::span(order).first(shown);
  std::vector<std::size_t> widths;
  widths.reserve(grid.columns.size());
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    widths.push_back(width_of(grid, i, rows, style));
  }
  const auto line = [&](auto&& cell_of) {
    std::string result;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string_view cell = cell_of(i);
      const std::string pad(widths[i] - std::min(widths[i], cell.size()), ' ');
      result += std::string(i == 0 ? 0 : gap, ' ');
      result += grid.columns[i].right ? pad + std::string(cell) : std::string(cell) + pad;
    }
    result.resize(result.find_last_not_of(' ') + 1);
    return result;
  };
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

std::string names_within(const std::vector<model::Text>& names, std::size_t columns) {
  const auto name_of = [&](std::size_t i) -> const model::Text& { return names[i]; };
  return names_within(names.size(), name_of, columns);
}

std::string names_within(std::size_t count,
                         const std::function<const model::Text&(std::size_t)>& name_of,
                         std::size_t columns) {
  constexpr std::size_t most = 5;
  std::string result;
  for (std::size_t shown = std::min(most, count); shown > 0; --shown) {
    result = base::listed(
        count, [&](std::size_t i) { return base::printable_line(name_of(i)); }, shown);
    if (result.size() <= columns) return result;
  }
  if (count == 0) return result;
  // The first name, shortened to leave columns for the number of the others.
  constexpr std::size_t least = 8;
  const std::string first = base::printable_line(name_of(0));
  const std::size_t too_much = result.size() - columns + std::string_view("...").size();
  const std::size_t kept = std::max(least, first.size() - std::min(first.size(), too_much));
  const auto cut_name = [&](std::size_t) { return shortened(first, kept); };
  return base::listed(count, cut_name, 1);
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
