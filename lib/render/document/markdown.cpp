#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/document/document.h"

namespace dsdoctor::render {
namespace {

/// More backticks than stand in a row anywhere in `text`, and at least `least`.
std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string fence;
  fence.append(std::max(least, longest + 1), '`');
  return fence;
}

/// A pipe ends a table's cell even between backticks.
std::string with_pipes_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

enum class Place { Line, Cell };

std::string code_span(std::string_view text, Place place) {
  if (text.empty()) return "";
  const std::string fence = fence_for(text, 1);
  // Without the blanks a backtick at the edge would belong to the fence.
  const bool pads = text.front() == '`' || text.back() == '`';
  const std::string_view pad = pads ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, pad,
                     place == Place::Cell ? with_pipes_escaped(text) : std::string(text), pad,
                     fence);
}

std::string line_text(const Line& line, Place place) {
  std::string result;
  for (const Span& span : line) {
    const std::string text = base::printable_line(span.text);
    switch (span.kind) {
      case Span::Kind::Text: result += markdown_text(text); break;
      case Span::Kind::Code: result += code_span(text, place); break;
      case Span::Kind::Strong: result += fmt::format("**{}**", markdown_text(text)); break;
    }
  }
  return result;
}

/// What would begin a heading, a list or a quotation at the start of a line.
std::string from_the_start(std::string text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits != 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')')) {
    return text.insert(digits, "\\");
  }
  if (!text.empty() && std::string_view("#+-=").find(text.front()) != std::string_view::npos) {
    return text.insert(0, "\\");
  }
  return text;
}

std::string cell_text(const Cell& cell) {
  std::string result;
  for (const Line& line : cell) {
    result += fmt::format("{}{}", result.empty() ? "" : "<br>", line_text(line, Place::Cell));
  }
  return result;
}

std::string block_text(const Heading& heading) {
  return fmt::format("{} {}\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                     line_text(heading.text, Place::Line));
}

std::string block_text(const Paragraph& paragraph) {
  return from_the_start(line_text(paragraph.text, Place::Line)) + "\n";
}

std::string block_text(const Bullets& bullets) {
  std::string result;
  for (const Line& item : bullets.items) {
    result += fmt::format("- {}\n", from_the_start(line_text(item, Place::Line)));
  }
  return result;
}

std::string block_text(const Table& table) {
  std::string result = "|";
  for (const Line& column : table.columns) {
    result += fmt::format(" {} |", line_text(column, Place::Cell));
  }
  result += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) result += " --- |";
  result += "\n";
  for (const auto& row : table.rows) {
    result += "|";
    for (const Cell& cell : row) result += fmt::format(" {} |", cell_text(cell));
    result += "\n";
  }
  return result;
}

std::string block_text(const Commands& commands) {
  const std::string fence = fence_for(commands.text, 3);
  return fmt::format("{}{}\n{}\n{}\n", fence, commands.language, commands.text, fence);
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("|*_`<>[]\\&~$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string markdown(const Document& document) {
  std::string result = fmt::format("# {}\n", line_text(plain(document.title), Place::Line));
  if (!document.subtitle.empty()) {
    result += "\n" + block_text(Paragraph{document.subtitle});
  }
  for (const Block& block : document.blocks) {
    result += "\n" + std::visit([](const auto& each) { return block_text(each); }, block);
  }
  return result;
}

}  // namespace dsdoctor::render
