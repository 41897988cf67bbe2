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
    case Color::Green: return "\x1b[32m";
    case Color::Yellow: return "\x1b[33m";
    case Color::Dim: return "\x1b[2m";
    case Color::Bold: return "\x1b[1m";
  }
  return "";
}

// The width of UTF-8 text: one column for each code point, since our marks are narrow, and none for
// escape sequences.
std::size_t columns(std::string_view text) {
  std::size_t result = 0;
  bool in_escape = false;
  for (const char c : text) {
    if (c == '\x1b') in_escape = true;
    if (!in_escape && (static_cast<unsigned char>(c) & 0xC0) != 0x80) ++result;
    if (c == 'm') in_escape = false;
  }
  return result;
}

}  // namespace

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

std::string wrapped(const Style& style, const Layout& layout, std::string_view text) {
  constexpr std::size_t least_room = 20;  // below this width broken words are not more readable
  const std::size_t indent = layout.indent;
  std::string result(layout.lead == 0 ? indent : 0, ' ');
  std::size_t column = std::max(layout.lead, result.size());
  bool at_start = true;
  bool continued = false;
  const std::size_t limit = std::max(style.width, indent + least_room);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank =
        at >= layout.solid ? text.size() : std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, blank - at);
    const std::size_t needed = columns(word) + (at_start ? 0 : 1);
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
    result += word;
    column += columns(word);
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
    command += " " + base::shell_word(base::printable_line(flag));
  }
  return command;
}

}  // namespace dsdoctor::render
