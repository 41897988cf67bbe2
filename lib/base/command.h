// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::base {

/// A command as its words, the program first. Words are quoted when they are printed.
struct Command {
  std::vector<std::string> words;

  friend bool operator==(const Command&, const Command&) = default;
};

/// The kind of name required of a text from the cluster that is used in a command.
enum class NameKind {
  Label,      // RFC 1123 label: a namespace, a container
  Subdomain,  // RFC 1123 subdomain: most objects
  Key,        // of a label, an annotation or a taint, with or without a prefix
  Value,      // of a label or a taint, may be empty; also words such as an effect
};

/// Reports whether the API accepts `text` as a name of this kind. Other text is never part of a
/// command that we print, since it may be crafted to be pasted: an option, a second command, a name
/// of another kind.
[[nodiscard]] bool is_name(NameKind kind, std::string_view text);

/// Builds a command from words of our own and names from the cluster.
class CommandDraft {
 public:
  CommandDraft(std::initializer_list<std::string_view> words);

  CommandDraft& add(std::string_view own_word);
  /// Adds a word that consists of `name` and `mark`.
  CommandDraft& add(NameKind kind, std::string_view name, std::string_view mark = "");
  /// Appends `name` and `mark` to the last word.
  CommandDraft& append(NameKind kind, std::string_view name, std::string_view mark = "");

  /// Returns the command, or nothing if a name is invalid.
  [[nodiscard]] std::optional<Command> take();

 private:
  Command command_;
  bool is_valid_ = true;
};

/// Splits one line of a POSIX shell into words: separated by blanks, parts of them in single or
/// double quotes. An open quotation ends with the line.
[[nodiscard]] std::vector<std::string> split_words(std::string_view line);

/// `word` as a word of a POSIX shell. In `--name=value`, only the value is quoted.
[[nodiscard]] std::string argument(std::string_view word);

/// The command on one line, quoted so that it can be pasted.
[[nodiscard]] std::string to_string(const Command& command);

}  // namespace dsdoctor::base
