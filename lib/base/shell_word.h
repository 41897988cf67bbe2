#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::base {

enum class Shell { Posix, Fish, PowerShell, Cmd };

/// "bash", "sh", "zsh", "fish", "powershell", "pwsh", "cmd"; absent for other words.
[[nodiscard]] std::optional<Shell> parse_shell(std::string_view name);

/// `text` as one word of a POSIX shell: as it is where that is safe, else in single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// `text` in single quotes of a POSIX shell, whatever it holds.
[[nodiscard]] std::string single_quoted(std::string_view text);

/// `text` as one word of any of these shells, in quotes where it needs them or `always`. Absent
/// where there is no quoting that the shell, and for Windows the way it starts programs, leaves
/// alone: what `printable_line` shows in another way; for PowerShell double and typographic quotes;
/// for cmd also `%` and `!`.
[[nodiscard]] std::optional<std::string> quoted_word(Shell shell, std::string_view text,
                                                     bool always = false);

/// What a line begins with that the shell does not run: "# ".
[[nodiscard]] std::string_view comment_mark(Shell shell);

/// `line` as it may stand behind that mark. An interactive zsh knows no
/// comments: it runs such a line as a command, with what it substitutes and where it redirects to;
/// so there is a word in quotes wherever the text is more than words. The same for cmd, which runs
/// what follows a `&` in some remarks.
[[nodiscard]] std::string comment_text(Shell shell, std::string_view line);

}  // namespace dsdoctor::base
