// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/document/document.h"

namespace dsdoctor::render {
namespace {

/// More backticks than any run of backticks in `text`, and at least `least`.
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

/// A pipe ends a table cell even between backticks.
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
  // Without padding, a backtick at an end of the text would become part of the fence.
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

/// Escapes a start of a line that would begin a heading, a list or a quotation.
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

std::string block_text(const Table& table, std::size_t most_rows = std::string::npos) {
  std::string result = "|";
  for (const Line& column : table.columns) {
    result += fmt::format(" {} |", line_text(column, Place::Cell));
  }
  result += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) result += " --- |";
  result += "\n";
  const std::size_t shown = std::min(most_rows, table.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    result += "|";
    for (const Cell& cell : table.rows[i]) result += fmt::format(" {} |", cell_text(cell));
    result += "\n";
  }
  if (shown < table.rows.size()) {
    result += fmt::format("\n{} more: -o html lists them.\n", table.rows.size() - shown);
  }
  return result;
}

std::string block_text(const Commands& commands) {
  const std::string text = base::printable(commands.text);
  const std::string fence = fence_for(text, 3);
  return fmt::format("{}{}\n{}\n{}\n", fence, commands.language, text, fence);
}

/// The summary is HTML, which some readers of Markdown also read as Markdown.
std::string summary_text(const Line& line) {
  std::string result;
  for (const Span& span : line) {
    for (const char c : base::printable_line(span.text)) {
      const bool is_special = std::string_view("<>&\"|*_`[]\\~$").find(c) != std::string_view::npos;
      result += is_special ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
    }
  }
  return result;
}

std::string block_text(const Details& details) {
  std::string result =
      fmt::format("<details><summary>{}</summary>\n", summary_text(details.summary));
  for (const PlainBlock& block : details.blocks) {
    result += "\n" + std::visit([](const auto& each) { return block_text(each); }, block);
  }
  return result + "\n</details>\n";
}

std::string left_out_text(std::size_t details) {
  return fmt::format("\n{} folded {} left out: -o html has {}.\n", details,
                     details == 1 ? "part is" : "parts are", details == 1 ? "it" : "all of them");
}

/// Markdown with at most `most_rows` rows of each table, and with the first details that fit into
/// `limit`; the others are counted.
std::string markdown_of(const Document& document, std::size_t most_rows, std::size_t limit) {
  std::string head = fmt::format("# {}\n", line_text(plain(document.title), Place::Line));
  if (!document.subtitle.empty()) head += "\n" + block_text(Paragraph{document.subtitle});
  std::vector<std::string> texts;
  std::size_t needed = head.size();  // without details
  std::size_t folded = 0;
  for (const Block& block : document.blocks) {
    const auto* table = std::get_if<Table>(&block);
    texts.push_back("\n" +
                    (table != nullptr
                         ? block_text(*table, most_rows)
                         : std::visit([](const auto& each) { return block_text(each); }, block)));
    if (std::holds_alternative<Details>(block)) {
      ++folded;
    } else {
      needed += texts.back().size();
    }
  }
  needed += left_out_text(folded).size();
  std::string result = std::move(head);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::holds_alternative<Details>(document.blocks[i])) {
      // Once one does not fit, no later and less important one is shown.
      if (left_out != 0 || (limit != std::string::npos && needed + texts[i].size() > limit)) {
        ++left_out;
        continue;
      }
      needed += texts[i].size();
    }
    result += texts[i];
  }
  return left_out == 0 ? result : result + left_out_text(left_out);
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      // A backslash before these characters could become part of a bare URL and leave them
      // unescaped.
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      default:
        if (std::string_view("|*_`[]\\~$").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
  }
  return result;
}

std::string markdown(const Document& document, std::size_t limit) {
  constexpr std::size_t most_rows = 512;
  std::string result = markdown_of(document, std::string::npos, limit);
  for (std::size_t rows = most_rows; result.size() > limit && rows > 0; rows /= 2) {
    result = markdown_of(document, rows, limit);
  }
  if (result.size() <= limit) return result;
  const std::string_view note = "\nThe rest is left out: -o html has all of it.\n";
  const std::size_t room = limit - std::min(limit, note.size());
  const std::size_t end = room == 0 ? std::string::npos : result.rfind('\n', room - 1);
  return result.substr(0, end + 1).append(note);  // whole lines; none where npos
}

}  // namespace dsdoctor::render
