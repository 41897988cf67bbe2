#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::base {

/// A command as its words, the program first. Words are quoted when they are printed.
struct Command {
  std::vector<std::string> words;

  friend bool operator==(const Command&, const Command&) = default;
};

/// The words of one line of a POSIX shell: separated by blanks, parts of them in single or double
/// quotes. An open quotation ends with the line.
[[nodiscard]] std::vector<std::string> split_words(std::string_view line);

/// As a word of a POSIX shell. Of `--name=value` only the value is put in quotes.
[[nodiscard]] std::string argument(std::string_view word);

/// On one line, to be copied.
[[nodiscard]] std::string to_string(const Command& command);

}  // namespace dsdoctor::base
