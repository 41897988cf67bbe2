// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell_word.h"
#include "base/text.h"
#include "model/text.h"

namespace dsdoctor::render {

/// The appearance of an answer. cmd sets it: this library does not query the terminal.
struct Style {
  bool color = false;
  bool unicode = true;     // else ASCII marks
  std::size_t width = 0;   // columns to wrap free text at; 0: never wrap
  std::size_t rows = 0;    // rows of the terminal; 0 in a pipe
  bool all_nodes = false;  // list every node instead of groups
  bool by_class = false;   // JSON and YAML list classes of nodes instead of nodes
  bool wide = false;       // as all_nodes, with field paths and evidence
  std::optional<std::size_t> limit =
      {};                       // problems shown in full; 0: all; absent: as many as fit a screen
  bool headers = true;          // tables have a line of titles
  std::string sort_by = {};     // the title of a table's column, in any case; empty: unsorted
  std::size_t lines_above = 0;  // lines of the screen used before the answer
  [[nodiscard]] bool lists_every_node() const { return all_nodes || wide; }
  /// Whether no line may be wider than `width`: names are shortened, commands continue on the next
  /// line.
  [[nodiscard]] bool fits_width() const { return rows != 0 && width != 0 && !wide; }
  /// Whether the answer may only have the lines of the terminal.
  [[nodiscard]] bool fits_screen() const {
    return fits_width() && !lists_every_node() && limit != 0U;
  }
  /// Whether the terminal has too few rows for details of a problem.
  [[nodiscard]] bool is_small_screen() const {
    constexpr std::size_t enough_rows = 36;
    return fits_screen() && rows < enough_rows;
  }
  /// Lines of an answer that fills the terminal and leaves a row for the prompt; 0: not a terminal.
  [[nodiscard]] std::size_t screen_lines() const {
    constexpr std::size_t least_rows = 20;
    return rows == 0 ? 0 : std::max(rows, least_rows) - 1;
  }
};

/// How printed commands reach the examined cluster or files.
struct Address {
  base::Shell shell = base::Shell::Posix;  // the shell that runs the commands
  std::string program = "kubectl dsdoctor";
  /// Flags of every printed kubectl command, so that it reaches the examined cluster.
  std::vector<std::string> kubectl_flags;
  /// The same for printed commands of this program: "--context=prod", "-f x.json".
  std::vector<std::string> own_flags;

  /// A command of this program about one DaemonSet: "kubectl dsdoctor explain x -n y -f z". Absent
  /// if the API does not accept the names.
  [[nodiscard]] std::optional<std::string> own_command(std::string_view verb, std::string_view ns,
                                                       std::string_view name) const;
  /// The same about all DaemonSets: "kubectl dsdoctor check -A -f z".
  [[nodiscard]] std::string own_command(std::string_view verb) const;

 private:
  [[nodiscard]] std::string with_flags(std::string command) const;
};

/// The appearance of an answer that contains commands.
struct Presentation : Style {
  Address address;
};

enum class Color { Plain, Red, StrongRed, Green, Yellow, Cyan, Dim, Bold };

/// `text` with escape sequences for the color, if `style` has colors.
[[nodiscard]] std::string paint(const Style& style, Color color, std::string_view text);

/// A green "✓": everything is healthy.
[[nodiscard]] std::string tick(const Style& style);

/// The position of a text that is wrapped.
struct Layout {
  std::size_t indent = 0;
  std::size_t lead = 0;  // columns already on the first line; 0: none, so it is indented
  std::size_t solid = std::string_view::npos;  // from this byte on, text is not wrapped: a command
};

/// Breaks `text` at blanks so that lines fit `style.width`; every line begins with `indent`
/// blanks, continued ones with two more. Ends with a newline.
[[nodiscard]] std::string wrapped(const Style& style, std::size_t indent, std::string_view text);

/// The same for a text that continues a line, or that ends with a command.
[[nodiscard]] std::string wrapped(const Style& style, const Layout& layout, std::string_view text);

/// `text` on one line of the terminal, shortened if needed. Ends with a newline.
[[nodiscard]] std::string one_line(const Style& style, std::size_t indent, const std::string& text);

/// At most `bytes` of a line, cut at a character.
[[nodiscard]] std::string shortened(std::string text, std::size_t bytes);

/// Columns of UTF-8 text on a terminal: one for each code point, none for escape sequences.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// "ip-10-0-1...internal": the start and the end of a name in at most `columns`, which is at
/// least 8.
[[nodiscard]] std::string name_within(std::string_view name, std::size_t columns);

/// Makes the text of one of several names.
using NameOf = std::function<const model::Text&(std::size_t)>;

/// "a, b and 21 more" in `columns`; absent if no name fits.
[[nodiscard]] std::optional<std::string> some_names_within(std::size_t count, const NameOf& name_of,
                                                           std::size_t columns);
/// The same; "22 in all" if no name fits.
[[nodiscard]] std::string names_within(std::size_t count, const NameOf& name_of,
                                       std::size_t columns);
[[nodiscard]] std::string names_within(const std::vector<model::Text>& names, std::size_t columns);

/// A command on one line, or, if `style` fits the width and the shell allows it, on several that
/// can be pasted: lines end with a backslash, or at a comma of JSON in quotes. The first begins at
/// column `lead`, the others with `indent` blanks. A word is never cut. No newline at the end.
[[nodiscard]] std::string command_text(const Style& style, const Layout& layout,
                                       std::string_view command,
                                       base::Shell shell = base::Shell::Posix);

using base::counted;

}  // namespace dsdoctor::render
