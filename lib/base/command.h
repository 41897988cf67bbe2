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

/// What a text of the cluster is, where it stands in a command.
enum class NameKind {
  Label,      // RFC 1123 label: a namespace, a container
  Subdomain,  // RFC 1123 subdomain: most objects
  Key,        // of a label, an annotation or a taint, with or without a prefix
  Value,      // of a label or a taint: may be empty; and words such as an effect
};

/// Whether the API accepts `text` as such. What it does not, no command that we print may hold: it
/// is no name, but written to be pasted (an option, a second command, another kind's name).
[[nodiscard]] bool is_name(NameKind kind, std::string_view text);

/// Makes a command of words of our own and names of the cluster.
class CommandDraft {
 public:
  CommandDraft(std::initializer_list<std::string_view> words);

  CommandDraft& add(std::string_view own_word);
  /// A word of its own, or its beginning, up to `mark`.
  CommandDraft& add(NameKind kind, std::string_view name, std::string_view mark = "");
  /// To the last word.
  CommandDraft& append(NameKind kind, std::string_view name, std::string_view mark = "");

  /// Absent where one of the names is none.
  [[nodiscard]] std::optional<Command> take();

 private:
  Command command_;
  bool is_valid_ = true;
};

/// The words of one line of a POSIX shell: separated by blanks, parts of them in single or double
/// quotes. An open quotation ends with the line.
[[nodiscard]] std::vector<std::string> split_words(std::string_view line);

/// As a word of a POSIX shell. Of `--name=value` only the value is put in quotes.
[[nodiscard]] std::string argument(std::string_view word);

/// On one line, to be copied.
[[nodiscard]] std::string to_string(const Command& command);

}  // namespace dsdoctor::base
