// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell_word.h"
#include "base/text.h"

namespace dsdoctor::render {

/// The appearance of an answer. cmd sets it: this library does not query the terminal.
struct Style {
  bool color = false;
  bool unicode = true;     // else ASCII marks
  std::size_t width = 0;   // columns to wrap free text at; 0: never wrap
  bool all_nodes = false;  // list every node instead of groups
  bool by_class = false;   // JSON and YAML list classes of nodes instead of nodes
  bool wide = false;       // as all_nodes, with field paths and evidence
  std::optional<std::size_t> limit =
      {};                       // problems shown in full; 0: all; absent: as many as fit a screen
  bool headers = true;          // tables have a line of titles
  std::string sort_by = {};     // the title of a table's column, in any case; empty: unsorted
  std::size_t lines_above = 0;  // lines of the screen used before the answer
  [[nodiscard]] bool lists_every_node() const { return all_nodes || wide; }
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

enum class Color { Plain, Red, Green, Yellow, Dim, Bold };

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

using base::counted;

}  // namespace dsdoctor::render
