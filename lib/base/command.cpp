#include "base/command.h"

#include "base/shell_word.h"

namespace dsdoctor::base {

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
