// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// For tests: strict readers of the program's output, which share no code with its writers. Each
/// returns a description of the first error; empty if there is none.
namespace dsdoctor::cmd {

/// The characters of `text`; absent if it is not UTF-8.
inline std::optional<std::u32string> characters_of(std::string_view text) {
  std::u32string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
    };
    const std::uint32_t lead = byte(at);
    const std::size_t more = lead < 0x80   ? 0
                             : lead < 0xC2 ? 4
                             : lead < 0xE0 ? 1
                             : lead < 0xF0 ? 2
                                           : 3;
    if (more == 4 || lead > 0xF4) return std::nullopt;
    std::uint32_t value = more == 0 ? lead : lead & (0x3FU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
      if ((byte(at + i) & 0xC0U) != 0x80U) return std::nullopt;
      value = value * 64 + (byte(at + i) & 0x3FU);
    }
    const bool is_overlong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000);
    if (is_overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return std::nullopt;
    result += static_cast<char32_t>(value);
    at += more + 1;
  }
  return result;
}

/// Finds control characters except newlines, directional marks, zero-width characters, characters
/// that some readers treat as line ends, and noncharacters.
inline std::string hidden_in(std::string_view text) {
  const auto characters = characters_of(text);
  if (!characters) return "no UTF-8";
  for (const char32_t c : *characters) {
    const bool control = (c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0);
    const bool direction = c == 0x61C || c == 0x200E || c == 0x200F ||
                           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool no_width = c == 0xAD || (c >= 0x200B && c <= 0x200D) ||
                          (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0x180E ||
                          (c >= 0xE0000 && c <= 0xE007F);
    const bool line_end = c == 0x2028 || c == 0x2029;
    const bool none = (c & 0xFFFE) == 0xFFFE;
    if (control || direction || no_width || line_end || none) {
      return "character " + std::to_string(static_cast<std::uint32_t>(c));
    }
  }
  return {};
}

/// The elements of pages in HTML, besides style and script.
inline const std::set<std::string>& page_elements() {
  static const std::set<std::string> elements = {
      "html",    "head",    "meta",    "title",    "style", "body",  "header", "h1",   "h2",
      "h3",      "p",       "main",    "nav",      "ul",    "li",    "a",      "div",  "span",
      "strong",  "code",    "pre",     "table",    "thead", "tbody", "tr",     "th",   "td",
      "section", "details", "summary", "link",     "b",     "sub",   "ol",     "time", "svg",
      "path",    "line",    "col",     "colgroup", "footer"};
  return elements;
}

/// A tag without the quoted values of its attributes.
inline std::string without_values(std::string_view tag) {
  std::string result;
  bool quoted = false;
  for (const char c : tag) {
    if (c == '"') quoted = !quoted;
    if (!quoted) result += c;
  }
  return result;
}

/// Checks tags, attributes and references of HTML or XML in which only `allowed` elements occur;
/// `open_ended` ones have no end tag.
inline std::string fault_of_markup(std::string_view text, const std::set<std::string>& allowed,
                                   const std::set<std::string>& open_ended = {}) {
  std::vector<std::string> open;
  const auto is_reference = [&](std::size_t at) {
    const std::string_view rest = text.substr(at, 8);
    return rest.starts_with("&amp;") || rest.starts_with("&lt;") || rest.starts_with("&gt;") ||
           rest.starts_with("&quot;") || rest.starts_with("&#39;") || rest.starts_with("&apos;");
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&' && !is_reference(at))
      return "reference at " + std::string(text.substr(at, 20));
    if (text[at] == '>') return "sign at " + std::string(text.substr(at, 20));
    if (text[at] != '<') continue;
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return "tag not closed";
    std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with("!DOCTYPE") || tag.starts_with("?xml")) continue;
    const bool closes = tag.starts_with('/');
    const bool is_empty = tag.ends_with('/');
    tag = tag.substr(closes ? 1 : 0);
    const std::string name(tag.substr(0, tag.find_first_of(" /")));
    if (!allowed.contains(name)) return "element " + std::string(tag);
    if (std::ranges::count(tag, '"') % 2 != 0 || tag.find('<') != std::string_view::npos) {
      return "attributes of " + std::string(tag);
    }
    if (without_values(tag).find(" on") != std::string::npos) {
      return "handler in " + std::string(tag);
    }
    if (closes) {
      if (open.empty() || open.back() != name) return "end of " + name;
      open.pop_back();
    } else if (!is_empty && !open_ended.contains(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

/// Checks the Markdown of a report outside code, including the tables' cells.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view text) { read(text); }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const std::vector<std::string>& code() const { return code_; }

 private:
  void read(std::string_view text) {
    std::string fence;
    std::size_t columns = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
      if (!fence.empty()) {
        if (line == fence) {
          fence.clear();
        } else {
          code_.push_back(line);
        }
      } else if (ticks >= 3) {
        fence = line.substr(0, ticks);
      } else {
        read_line(line, columns);
      }
    }
    if (!fence.empty()) fault_ = "code is not closed";
  }

  void read_line(const std::string& line, std::size_t& columns) {
    std::size_t pipes = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '\\') {
        ++at;
      } else if (line[at] == '`') {
        at = end_of_span(line, at, pipes);
      } else if (line[at] == '|') {
        ++pipes;
      } else if (line[at] == '<') {
        check_tag(std::string_view(line).substr(at));
      } else if (line[at] == '[' || (line[at] == ']' && line.compare(at + 1, 1, "(") == 0)) {
        fault_ = "a bracket: " + line;
      }
    }
    const bool is_row = line.starts_with('|');
    if (is_row && columns != 0 && pipes != columns) fault_ = "cells of " + line;
    columns = is_row ? pipes : 0;
  }

  std::size_t end_of_span(const std::string& line, std::size_t at, std::size_t& pipes) {
    const std::size_t ticks = line.find_first_not_of('`', at) - at;
    std::size_t end = at + ticks;
    for (; end < line.size(); ++end) {
      if (line[end] == '|' && line[end - 1] != '\\') ++pipes;
      if (line[end] != '`') continue;
      const std::size_t run = std::min(line.find_first_not_of('`', end), line.size()) - end;
      if (run == ticks) {
        code_.push_back(line.substr(at + ticks, end - at - ticks));
        return end + run - 1;
      }
      end += run - 1;
    }
    fault_ = "a code span is not closed: " + line;
    return line.size();
  }

  void check_tag(std::string_view rest) {
    for (const char* tag : {"<br>", "<details>", "</details>", "<summary>", "</summary>"}) {
      if (rest.starts_with(tag)) return;
    }
    fault_ = "a tag: " + std::string(rest.substr(0, 30));
  }

  std::string fault_;
  std::vector<std::string> code_;
};

}  // namespace dsdoctor::cmd
