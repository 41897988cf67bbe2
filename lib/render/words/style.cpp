// SPDX-License-Identifier: Apache-2.0
#include "render/words/style.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/command.h"
#include "base/printable.h"

namespace dsdoctor::render {
namespace {

std::string_view escape(Color color) {
  switch (color) {
    case Color::Plain: return "";
    case Color::Red: return "\x1b[31m";
    case Color::StrongRed: return "\x1b[1;31m";
    case Color::Cyan: return "\x1b[36m";
    case Color::Green: return "\x1b[32m";
    case Color::Yellow: return "\x1b[33m";
    case Color::Dim: return "\x1b[2m";
    case Color::Bold: return "\x1b[1m";
  }
  return "";
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The places where a command may continue on the next line: after the byte `end`.
struct Break {
  std::size_t end = 0;
  bool in_quotes = false;  // needs no backslash
};

/// The blanks between words, and the commas between values of JSON in single quotes.
std::vector<Break> breaks_of(std::string_view command) {
  std::vector<Break> result;
  char quote = '\0';
  bool is_json = false;  // the word has a quotation that begins like JSON
  bool in_text = false;  // of JSON
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const char next = i + 1 < command.size() ? command[i + 1] : '\0';
    if (c == '\\') {
      ++i;
    } else if (quote == '\0' && c == ' ') {
      result.push_back({i, false});
      is_json = in_text = false;
    } else if (quote == '\0' ? c == '\'' || c == '"' : c == quote) {
      quote = quote == '\0' ? c : '\0';
      is_json = is_json || (c == '\'' && (next == '[' || next == '{'));
    } else if (is_json && c == '"') {
      in_text = !in_text;
    } else if (is_json && quote != '\0' && c == ',' && !in_text && (next == '"' || next == '{')) {
      result.push_back({i + 1, true});
    }
  }
  result.push_back({command.size(), true});
  return result;
}

}  // namespace

// Our marks are narrow.
std::size_t columns_of(std::string_view text) {
  std::size_t result = 0;
  bool in_escape = false;
  for (const char c : text) {
    if (c == '\x1b') in_escape = true;
    if (!in_escape && !continues_character(c)) ++result;
    if (c == 'm') in_escape = false;
  }
  return result;
}

std::string name_within(std::string_view name, std::size_t columns) {
  constexpr std::string_view gap = "...";
  if (columns_of(name) <= columns) return std::string(name);
  // The end of a node's name is often the domain of all nodes.
  const std::size_t kept = columns - gap.size();
  std::size_t end = name.size() - kept / 3;
  std::size_t start = kept - kept / 3;
  while (start > 0 && continues_character(name[start])) --start;
  while (end < name.size() && continues_character(name[end])) ++end;
  const std::string_view first = base::trimmed(name.substr(0, start), ".");
  return fmt::format("{}{}{}", first, gap, base::trimmed(name.substr(end), "."));
}

std::optional<std::string> some_names_within(std::size_t count, const NameOf& name_of,
                                             std::size_t columns) {
  constexpr std::size_t most = 5;
  std::string result;
  if (count == 0) return result;
  for (std::size_t shown = std::min(most, count); shown > 0; --shown) {
    result = base::listed(
        count, [&](std::size_t i) { return base::printable_line(name_of(i)); }, shown);
    if (columns_of(result) <= columns) return result;
  }
  // The first name, shortened to leave columns for the number of the others.
  constexpr std::size_t least = 11;
  const std::string first = base::printable_line(name_of(0));
  const std::size_t too_much = columns_of(result) - columns;
  const std::size_t kept = std::max(least, first.size() - std::min(first.size(), too_much));
  result = base::listed(
      count, [&](std::size_t) { return name_within(first, kept); }, 1);
  return columns_of(result) <= columns || count == 1 ? std::optional(result) : std::nullopt;
}

std::string names_within(std::size_t count, const NameOf& name_of, std::size_t columns) {
  return some_names_within(count, name_of, columns).value_or(fmt::format("{} in all", count));
}

std::string names_within(const std::vector<model::Text>& names, std::size_t columns) {
  return names_within(
      names.size(), [&](std::size_t i) -> const model::Text& { return names[i]; }, columns);
}

std::string command_text(const Style& style, const Layout& layout, std::string_view command,
                         base::Shell shell) {
  const bool has_continuation = shell == base::Shell::Posix || shell == base::Shell::Fish;
  if (!style.fits_width() || !has_continuation ||
      layout.lead + columns_of(command) <= style.width) {
    return std::string(command);
  }
  constexpr std::string_view mark = " \\";
  std::string result;
  std::size_t column = layout.lead;
  std::size_t start = 0;  // where the line begins in `command`
  std::size_t fitting = 0;
  bool in_quotes = false;
  for (const Break& at : breaks_of(command)) {
    const std::size_t needed =
        columns_of(command.substr(start, at.end - start)) + (at.in_quotes ? 0 : mark.size());
    if (column + needed > style.width && fitting > start) {
      result += command.substr(start, fitting - start);
      result += fmt::format("{}\n", in_quotes ? "" : mark);
      start = fitting + (in_quotes ? 0 : 1);  // without the blank
      // A word that is too wide for the indentation begins further left.
      const std::size_t word = columns_of(command.substr(start, at.end - start)) + mark.size();
      column = std::min(layout.indent, style.width - std::min(style.width, word));
      result += fmt::format("{:{}}", "", column);
    }
    fitting = at.end;
    in_quotes = at.in_quotes;
  }
  return result + std::string(command.substr(start));
}

std::string paint(const Style& style, Color color, std::string_view text) {
  if (!style.color || color == Color::Plain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape(color), text);
}

std::string tick(const Style& style) {
  return paint(style, Color::Green, style.unicode ? "✓" : "+");
}

std::string wrapped(const Style& style, std::size_t indent, std::string_view text) {
  return wrapped(style, Layout{.indent = indent}, text);
}

namespace {

/// `word`, shortened if a line of `room` columns is too narrow for it.
std::string word_within(const Style& style, std::string_view word, std::size_t room) {
  const bool has_escape = word.find('\x1b') != std::string_view::npos;
  if (!style.fits_width() || has_escape) return std::string(word);
  return name_within(word, room);
}

}  // namespace

std::string wrapped(const Style& style, const Layout& layout, std::string_view text) {
  constexpr std::size_t least_room = 20;  // below this width broken words are not more readable
  const std::size_t indent = layout.indent;
  std::string result(layout.lead == 0 ? indent : 0, ' ');
  std::size_t column = std::max(layout.lead, result.size());
  bool at_start = true;
  bool continued = false;
  const std::size_t limit = std::max(style.width, indent + least_room);
  for (std::size_t at = 0; at < text.size();) {
    const bool is_command = at >= layout.solid;
    const std::size_t blank = is_command ? text.size() : std::min(text.find(' ', at), text.size());
    const std::string word =
        is_command ? std::string(text.substr(at))
                   : word_within(style, text.substr(at, blank - at), limit - indent - 2);
    const std::size_t needed = columns_of(word) + (at_start ? 0 : 1);
    if (style.width != 0 && !at_start && column + needed > limit) {
      while (result.ends_with(' ')) result.pop_back();
      result += "\n" + std::string(indent + 2, ' ');
      column = indent + 2;
      at_start = true;
      continued = true;
    }
    if (at_start && continued && word.empty()) {  // a gap of several blanks
      at = blank + 1;
      continue;
    }
    if (!at_start) {
      result += ' ';
      ++column;
    }
    result += is_command ? command_text(style, {.indent = indent + 2, .lead = column}, word) : word;
    column += columns_of(word);
    at_start = false;
    at = blank + 1;
  }
  return result + "\n";
}

std::string one_line(const Style& style, std::size_t indent, const std::string& text) {
  constexpr std::size_t least_room = 20;
  const std::size_t room = style.width > indent + least_room ? style.width - indent : text.size();
  return fmt::format("{:{}}{}\n", "", indent,
                     text.size() > room ? shortened(text, room - 3) : text);
}

std::string shortened(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text + "...";
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<std::string> Address::own_command(std::string_view verb, std::string_view ns,
                                                std::string_view name) const {
  const auto command = base::CommandDraft{verb}
                           .add(base::NameKind::Subdomain, name)
                           .add("-n")
                           .add(base::NameKind::Label, ns)
                           .take();
  if (!command) return std::nullopt;
  return with_flags(fmt::format("{} {}", program, base::to_string(*command)));
}

std::string Address::own_command(std::string_view verb) const {
  return with_flags(fmt::format("{} {} -A", program, verb));
}

std::string Address::with_flags(std::string command) const {
  for (const std::string& flag : own_flags) {
    command += " " + base::shell_word(flag);
  }
  return command;
}

}  // namespace dsdoctor::render
