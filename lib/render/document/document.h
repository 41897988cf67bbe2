// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A report as headings, tables and commands, independent of Markdown and HTML. Texts are not
/// escaped: the writers do that.
namespace dsdoctor::render {

/// How a word is highlighted.
enum class Tone { Plain, Good, Waiting, Wrong, Quiet };

/// A part of a line.
struct Span {
  enum class Kind { Text, Code, Strong };
  Kind kind = Kind::Text;
  std::string text;
  Tone tone = Tone::Plain;
};

using Line = std::vector<Span>;

[[nodiscard]] Line plain(std::string_view text);
[[nodiscard]] Line code(std::string_view text);
[[nodiscard]] Line strong(std::string_view text, Tone tone = Tone::Plain);
[[nodiscard]] Line operator+(Line first, const Line& second);

struct Heading {
  int level = 2;  // 1 is the title's level
  Line text;
};

struct Paragraph {
  Line text;
};

struct Bullets {
  std::vector<Line> items;
};

using Cell = std::vector<Line>;

struct Table {
  std::vector<Line> columns;
  std::vector<std::vector<Cell>> rows;  // REQUIRES: each as long as `columns`
};

/// Commands to copy.
struct Commands {
  std::string text;      // one or more lines
  std::string language;  // "sh"
};

using PlainBlock = std::variant<Heading, Paragraph, Bullets, Table, Commands>;

/// Blocks that are folded away at first. If Markdown has a limit, those that do not fit are left
/// out.
struct Details {
  Line summary;
  std::vector<PlainBlock> blocks;
};

using Block = std::variant<Heading, Paragraph, Bullets, Table, Commands, Details>;

/// Folds `blocks`, of which none is folded itself.
[[nodiscard]] Details folded(Line summary, std::vector<Block> blocks);

struct Document {
  std::string title;
  Line subtitle;  // the source and the time; may be empty
  std::vector<Block> blocks;
};

/// GitHub takes 65,536 characters in a comment.
inline constexpr std::size_t comment_limit = 60'000;

/// GitHub's Markdown of at most `limit` bytes, for a ticket. Notes say where details, rows or the
/// end were left out.
[[nodiscard]] std::string markdown(const Document& document, std::size_t limit = std::string::npos);

/// `text` escaped for Markdown, anywhere in a line.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace dsdoctor::render
