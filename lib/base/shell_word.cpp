// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/text.h"

namespace dsdoctor::base {
namespace {

constexpr std::string_view safe_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=";

bool is_plain(std::string_view text, std::string_view also) {
  // zsh expands =word to the path of a command.
  return !text.empty() && text.front() != '=' && std::ranges::all_of(text, [&](char c) {
    return safe_characters.find(c) != std::string_view::npos ||
           also.find(c) != std::string_view::npos;
  });
}

/// PowerShell treats the typographic quotes U+2018 to U+201F like plain ones.
bool has_typographic_quotes(std::string_view text) {
  for (std::size_t at = text.find("\xE2\x80"); at != text.npos;
       at = text.find("\xE2\x80", at + 1)) {
    const std::string_view last = text.substr(at + 2, 1);
    if (!last.empty() && last.front() >= '\x98' && last.front() <= '\x9F') return true;
  }
  return false;
}

/// `text` between two `quote`, with `escape` before each character of `special`.
std::string escaped(std::string_view text, char quote, std::string_view special, char escape) {
  std::string result(1, quote);
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += escape;
    result += c;
  }
  return result + quote;
}

/// `text` as the output of printf, in octal where a character is not a visible one of ASCII: so
/// bash, zsh, fish and every POSIX shell restore it. They all drop newlines at the end.
std::string with_printf(std::string_view text) {
  std::string format;
  for (const char c : text) {
    const bool is_literal =
        c >= ' ' && c <= '~' && std::string_view("'\\%").find(c) == std::string_view::npos;
    format +=
        is_literal ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return fmt::format("\"$(printf '{}')\"", format);
}

/// Whether no shell treats the character in a comment specially.
bool is_harmless(char c) {
  return static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view(" ,+@").find(c) != std::string_view::npos ||
         safe_characters.find(c) != std::string_view::npos;
}

/// Adds a comma and a blank, but no second mark.
void add_comma(std::string& text) {
  while (text.ends_with(' ')) text.pop_back();
  if (text.empty()) return;
  text += std::string_view(",:.").find(text.back()) == std::string_view::npos ? ", " : " ";
}

}  // namespace

std::optional<Shell> parse_shell(std::string_view name) {
  constexpr std::pair<std::string_view, Shell> names[] = {{"bash", Shell::Posix},
                                                          {"sh", Shell::Posix},
                                                          {"zsh", Shell::Posix},
                                                          {"fish", Shell::Fish},
                                                          {"powershell", Shell::PowerShell},
                                                          {"pwsh", Shell::PowerShell},
                                                          {"cmd", Shell::Cmd}};
  const auto* at = std::ranges::find(names, name, &std::pair<std::string_view, Shell>::first);
  return at == std::end(names) ? std::nullopt : std::optional(at->second);
}

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += R"('\'')";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string shell_word(std::string_view text) {
  if (is_plain(text, "@%+,")) return std::string(text);
  return printable_line(text) == text ? single_quoted(text) : with_printf(text);
}

std::optional<std::string> quoted_word(Shell shell, std::string_view text, bool always) {
  if (printable_line(text) != text) return std::nullopt;
  const auto holds = [&](std::string_view any) {
    return text.find_first_of(any) != std::string_view::npos;
  };
  // Windows joins the words into one line and splits it again: a backslash before the closing quote
  // would escape the quote.
  const bool ends_in_backslash = text.ends_with('\\');
  switch (shell) {
    case Shell::Posix: return always ? single_quoted(text) : shell_word(text);
    case Shell::Fish:
      if (!always && is_plain(text, "@+,")) return std::string(text);
      return escaped(text, '\'', "'\\", '\\');
    case Shell::PowerShell:
      if (!always && is_plain(text, "")) return std::string(text);
      if (holds("\"") || has_typographic_quotes(text) || ends_in_backslash) return std::nullopt;
      return escaped(text, '"', "$`", '`');
    case Shell::Cmd:
      if (!always && is_plain(text, "")) return std::string(text);
      if (holds("\"%!") || ends_in_backslash) return std::nullopt;
      return escaped(text, '"', "", '"');
  }
  return std::nullopt;
}

std::string comment_text(Shell shell, std::string_view line) {
  if (shell == Shell::Fish || shell == Shell::PowerShell) return std::string(line);
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view text = line.substr(indent);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    // zsh expands =word to a path.
    const bool is_path = c == '=' && (result.empty() || result.ends_with(' '));
    if (c == '-' && next == '>') {
      result += "to";
      ++i;
    } else if (is_harmless(c) && !is_path) {
      result += c;
    } else if (c == '(' || c == ';' || c == '[') {
      add_comma(result);
      if (next == ' ') ++i;
    } else if (c == ')' || c == ']') {
      if (is_alphanumeric(next)) result += ' ';
    } else if (c != '\'' && c != '"' && c != '`') {
      result += fmt::format("U+{:04X}", static_cast<unsigned>(c));
    }
  }
  return std::string(indent, ' ') + result;
}

std::string_view comment_mark(Shell shell) { return shell == Shell::Cmd ? "rem " : "# "; }

}  // namespace dsdoctor::base
