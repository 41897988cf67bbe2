#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell_word.h"
#include "base/text.h"

namespace dsdoctor::render {

/// How an answer is to look. Chosen once by cmd; nothing here looks at the terminal.
struct Style {
  bool color = false;
  bool unicode = true;                    // else ASCII marks
  std::size_t width = 0;                  // columns to wrap free text at; 0: never wrap
  bool all_nodes = false;                 // list every node instead of groups
  bool wide = false;                      // as all_nodes, with field paths and evidence
  std::optional<std::size_t> limit = {};  // problems in full; 0: all; absent: what fits a screen
  bool headers = true;                    // tables have a line of titles
  std::string sort_by = {};     // the title of a table's column, in any case; empty: as it is
  std::size_t lines_above = 0;  // of the screen, taken by what stands before the answer
  [[nodiscard]] bool lists_every_node() const { return all_nodes || wide; }
};

/// How printed commands reach what was examined.
struct Address {
  base::Shell shell = base::Shell::Posix;  // that the commands are for
  std::string program = "kubectl dsdoctor";
  /// Repeated in every printed kubectl command, so that it reaches the cluster that was examined.
  std::vector<std::string> kubectl_flags;
  /// The same for printed commands of our own: "--context=prod", "-f x.json".
  std::vector<std::string> own_flags;

  /// A command of ours about one DaemonSet: "kubectl dsdoctor explain x -n y -f z". Absent where
  /// the API would not accept such names.
  [[nodiscard]] std::optional<std::string> own_command(std::string_view verb, std::string_view ns,
                                                       std::string_view name) const;
  /// The same about all DaemonSets: "kubectl dsdoctor check -A -f z".
  [[nodiscard]] std::string own_command(std::string_view verb) const;

 private:
  [[nodiscard]] std::string with_flags(std::string command) const;
};

/// What it takes to write an answer that has commands in it.
struct Presentation : Style {
  Address address;
};

enum class Color { Plain, Red, Green, Yellow, Dim, Bold };

/// `text` between escape sequences, or as it is where `style` wants no color.
[[nodiscard]] std::string paint(const Style& style, Color color, std::string_view text);

/// "✓", in green: all is well.
[[nodiscard]] std::string tick(const Style& style);

/// Where a text stands that is broken into lines.
struct Layout {
  std::size_t indent = 0;
  std::size_t lead = 0;  // columns that the first line has already; 0: it gets the indent
  std::size_t solid = std::string_view::npos;  // from this byte on nothing is broken: a command
};

/// Breaks `text` at blanks so that lines fit `style.width`; every line begins with `indent`
/// blanks, continued ones with two more. Ends with a newline.
[[nodiscard]] std::string wrapped(const Style& style, std::size_t indent, std::string_view text);

/// The same behind what stands on the line before, or with a command at the end.
[[nodiscard]] std::string wrapped(const Style& style, const Layout& layout, std::string_view text);

/// `text` on one line of the terminal, cut where it is longer. Ends with a newline.
[[nodiscard]] std::string one_line(const Style& style, std::size_t indent, const std::string& text);

/// At most `bytes` of a line, cut at a character.
[[nodiscard]] std::string shortened(std::string text, std::size_t bytes);

using base::counted;

}  // namespace dsdoctor::render
