// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::base {

enum class Shell { Posix, Fish, PowerShell, Cmd };

/// "bash", "sh", "zsh", "fish", "powershell", "pwsh", "cmd"; absent for other words.
[[nodiscard]] std::optional<Shell> parse_shell(std::string_view name);

/// `text` as one word of a POSIX shell or fish: unchanged if that is safe, else in single quotes. A
/// text with characters that `printable_line` escapes becomes the output of printf; a newline at
/// its end is lost. The result is printable.
[[nodiscard]] std::string shell_word(std::string_view text);

/// `text` in single quotes of a POSIX shell, even if it needs none.
[[nodiscard]] std::string single_quoted(std::string_view text);

/// `text` as one word of any of these shells, in quotes if it needs them or `always`. Absent if no
/// quoting preserves the text, in the shell and in the command line of a Windows program: for
/// characters that `printable_line` escapes; for PowerShell also double and typographic quotes; for
/// cmd also double quotes, `%` and `!`; for both also a backslash at the end.
[[nodiscard]] std::optional<std::string> quoted_word(Shell shell, std::string_view text,
                                                     bool always = false);

/// Start of a comment line: "# ", in cmd "rem ".
[[nodiscard]] std::string_view comment_mark(Shell shell);

/// `line` in a form that is safe after that mark: an interactive zsh has no comments, it runs the
/// line as a command, with substitutions and redirections; cmd runs the text after a `&` in some
/// remarks. So for these shells, parentheses and semicolons become commas, quotes are left out, and
/// other special characters become `U+XXXX`.
[[nodiscard]] std::string comment_text(Shell shell, std::string_view line);

}  // namespace dsdoctor::base
