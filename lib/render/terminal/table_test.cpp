// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/table.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::render;

namespace {

constexpr GridColumn table_columns[] = {{"NAME"}, {"COUNT", true}, {"AGE", true}, {"PROBLEMS"}};

Lines sorted_by(const std::string& title, std::size_t room = 100, bool headers = true) {
  Grid grid = grid_of(table_columns);
  grid.rows = {{"c", "9", "36h", "-"}, {"a", "1,204", "-", "10, 11"}, {"b", "12", "2d5h", "2"}};
  Style style;
  style.sort_by = title;
  style.headers = headers;
  return grid_lines(grid, room, style);
}

std::string names(const Lines& lines) {
  std::string result;
  for (std::size_t i = 1; i < lines.size(); ++i) result += lines[i].front();
  return result;
}

}  // namespace

TEST_CASE("tables are sorted by a column whose name ignores case", "[render][table]") {
  CHECK(names(sorted_by("")) == "cab");
  CHECK(names(sorted_by("name")) == "abc");
  CHECK(names(sorted_by("COUNT")) == "abc");
  CHECK(names(sorted_by("Age")) == "bca");
  CHECK(names(sorted_by("problems")) == "bac");
  CHECK(names(sorted_by("of another table")) == "cab");
}

TEST_CASE("a table is cut after it is sorted", "[render][table]") {
  CHECK(sorted_by("name", 3) == Lines{"NAME  COUNT  AGE  PROBLEMS", "a     1,204    -  10, 11",
                                      "2 more: --limit 0 lists them"});
}

TEST_CASE("lines below a row move with it when sorted", "[render][table]") {
  Grid grid = grid_of(table_columns);
  grid.rows = {{"b", "1", "", ""}, {"a", "2", "", ""}};
  grid.below = {{"  of b"}, {"  of a", "  more"}};
  Style style;
  style.headers = false;
  style.sort_by = "name";
  CHECK(grid_lines(grid, 100, style) == Lines{"a  2", "  of a", "  more", "b  1", "  of b"});
}

TEST_CASE("a table without headers has only rows", "[render][table]") {
  const Lines lines = sorted_by("name", 3, false);
  CHECK(lines.size() == 3);
  CHECK(lines.front() == "a  1,204     -  10, 11");
}

TEST_CASE("a full name is shortened in its namespace", "[render][table]") {
  CHECK(full_name_within("kube-system/kube-proxy", 22) == "kube-system/kube-proxy");
  CHECK(full_name_within("kube-system/kube-proxy", 21) == "kube-sy.../kube-proxy");
  CHECK(full_name_within("kube-system/kube-proxy", 18) == "kube.../kube-proxy");
  CHECK(full_name_within("kube-system/kube-proxy", 5) == "kube.../kube-proxy");
  CHECK(full_name_within("x/agent", 3) == "x/agent");
  CHECK(full_name_within("agent", 3) == "agent");
}

TEST_CASE("a table fits a terminal", "[render][table]") {
  Grid grid = grid_of(table_columns);
  grid.rows = {{"kube-system/agent-of-a-long-name", "0", "1m", "1, 2, 3, 4, 5 and 12 more"},
               {"b", "0", "2m", "-"}};
  Style style;
  style.width = 50;
  CHECK(grid_lines(grid, 10, style)[1].size() == 71);  // a pipe has whole names
  style.rows = 24;
  CHECK(grid_lines(grid, 10, style) == Lines{"NAME                AGE  PROBLEMS",
                                             "kube-syste...-name   1m  1, 2, 3, 4, 5 and 12 more",
                                             "b                    2m  -"});
  grid.rows.back()[1] = "7";  // not a column of zeros
  for (const std::string& line : grid_lines(grid, 10, style)) {
    CAPTURE(line);
    CHECK(line.size() <= 50);
    CHECK((line.find("COUNT") != line.npos || line.find(" 0") != line.npos ||
           line.find(" 7") != line.npos));
  }
}

TEST_CASE("a colored headline is wrapped between words", "[render]") {
  Style style;
  style.width = 24;
  const std::string text = "x/agent    33 desired    39 nodes";
  CHECK(wrapped(style, 0, text) == "x/agent    33 desired\n  39 nodes\n");
  style.color = true;
  CHECK(wrapped(style, 0, paint(style, Color::Bold, "x/agent") + text.substr(7)) ==
        "\x1b[1mx/agent\x1b[0m    33 desired\n  39 nodes\n");
}
