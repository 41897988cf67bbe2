#include "base/shell_word.h"

#include <algorithm>
#include <utility>

namespace dsdoctor::base {
namespace {

constexpr std::string_view safe_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=";

bool is_plain(std::string_view text, std::string_view also) {
  // zsh takes =word for the path of a command.
  return !text.empty() && text.front() != '=' && std::ranges::all_of(text, [&](char c) {
    return safe_characters.find(c) != std::string_view::npos ||
           also.find(c) != std::string_view::npos;
  });
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

/// In `quotes`, with `escape` before each of `special`.
std::string escaped(std::string_view text, char quote, std::string_view special, char escape) {
  std::string result(1, quote);
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += escape;
    result += c;
  }
  return result + quote;
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
  return is_plain(text, "@%+,") ? std::string(text) : single_quoted(text);
}

std::optional<std::string> quoted_word(Shell shell, std::string_view text, bool always) {
  if (has_control_characters(text)) return std::nullopt;
  const auto holds = [&](std::string_view any) {
    return text.find_first_of(any) != std::string_view::npos;
  };
  // Windows joins words to one line and splits it again: a backslash before the closing quote
  // would escape it.
  const bool ends_in_backslash = text.ends_with('\\');
  switch (shell) {
    case Shell::Posix: return always ? single_quoted(text) : shell_word(text);
    case Shell::Fish:
      if (!always && is_plain(text, "@+,")) return std::string(text);
      return escaped(text, '\'', "'\\", '\\');
    case Shell::PowerShell:
      if (!always && is_plain(text, "")) return std::string(text);
      if (holds("\"") || ends_in_backslash) return std::nullopt;
      return escaped(text, '"', "$`", '`');
    case Shell::Cmd:
      if (!always && is_plain(text, "")) return std::string(text);
      if (holds("\"%!") || ends_in_backslash) return std::nullopt;
      return escaped(text, '"', "", '"');
  }
  return std::nullopt;
}

std::string_view comment_mark(Shell shell) { return shell == Shell::Cmd ? "rem " : "# "; }

}  // namespace dsdoctor::base
