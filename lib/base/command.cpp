// SPDX-License-Identifier: Apache-2.0
#include "base/command.h"

#include <algorithm>
#include <utility>

#include "base/shell_word.h"
#include "base/text.h"

namespace dsdoctor::base {
namespace {

constexpr std::size_t longest_label = 63;
constexpr std::size_t longest_subdomain = 253;

bool is_lower_alphanumeric(char c) { return is_lower(c) || is_digit(c); }

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= longest_label && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

/// Its parts may be longer than the 63 bytes of a host name's label.
bool is_subdomain(std::string_view text) {
  return text.size() <= longest_subdomain &&
         std::ranges::all_of(split(text, "."), [](std::string_view part) {
           return is_label(part.substr(0, 1)) && is_lower_alphanumeric(part.back()) &&
                  std::ranges::all_of(part,
                                      [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
         });
}

bool is_value(std::string_view text) {
  const auto may_be_inside = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return text.empty() || (text.size() <= longest_label && is_alphanumeric(text.front()) &&
                          is_alphanumeric(text.back()) && std::ranges::all_of(text, may_be_inside));
}

bool is_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return !text.empty() && is_value(text);
  const std::string_view name = text.substr(slash + 1);
  return is_subdomain(text.substr(0, slash)) && !name.empty() && is_value(name);
}

}  // namespace

bool is_name(NameKind kind, std::string_view text) {
  switch (kind) {
    case NameKind::Label: return is_label(text);
    case NameKind::Subdomain: return is_subdomain(text);
    case NameKind::Key: return is_key(text);
    case NameKind::Value: return is_value(text);
  }
  return false;
}

CommandDraft::CommandDraft(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) add(word);
}

CommandDraft& CommandDraft::add(std::string_view own_word) {
  command_.words.emplace_back(own_word);
  return *this;
}

CommandDraft& CommandDraft::add(NameKind kind, std::string_view name, std::string_view mark) {
  return add("").append(kind, name, mark);
}

CommandDraft& CommandDraft::append(NameKind kind, std::string_view name, std::string_view mark) {
  is_valid_ = is_valid_ && is_name(kind, name);
  command_.words.back().append(name).append(mark);
  return *this;
}

std::optional<Command> CommandDraft::take() {
  if (!is_valid_) return std::nullopt;
  return std::move(command_);
}

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  char quote = '\0';
  bool in_word = false;
  for (const char c : line) {
    if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote == '\0' ? c : '\0';
    } else if (quote == '\0' && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    const bool is_mark = (c == '\'' || c == '"') && (quote == c || quote == '\0');
    if (!is_mark) words.back() += c;
  }
  return words;
}

std::string argument(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return shell_word(word);
  const std::string_view value = word.substr(equals + 1);
  return shell_word(word.substr(0, equals + 1)) + (value.empty() ? "\"\"" : shell_word(value));
}

std::string to_string(const Command& command) {
  std::string result;
  for (const std::string& word : command.words) {
    result.append(result.empty() ? "" : " ").append(argument(word));
  }
  return result;
}

}  // namespace dsdoctor::base
