#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A report that is passed on: headings, tables and commands, before it is known whether they
/// become Markdown or HTML. Texts are as they were read; what writes them out escapes them.
namespace dsdoctor::render {

/// How a word is to be taken at a glance.
enum class Tone { Plain, Good, Waiting, Wrong, Quiet };

/// A piece of a line.
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
  int level = 2;  // 1 is the title's
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

/// To be copied as it is.
struct Commands {
  std::string text;      // lines
  std::string language;  // "sh"
};

using Block = std::variant<Heading, Paragraph, Bullets, Table, Commands>;

struct Document {
  std::string title;
  Line subtitle;  // of what, and when; may be empty
  std::vector<Block> blocks;
};

/// GitHub takes 65,536 characters in a comment.
inline constexpr std::size_t comment_limit = 60'000;

/// For a ticket: GitHub's Markdown of at most `limit` bytes. What is left out of tables and at the
/// end is said.
[[nodiscard]] std::string markdown(const Document& document, std::size_t limit = std::string::npos);

/// One page that needs nothing else: no script, no image, no font.
[[nodiscard]] std::string html(const Document& document);

/// `text` as Markdown that shows it, wherever in a line.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace dsdoctor::render
