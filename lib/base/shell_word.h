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
/// alone: control characters; for PowerShell double quotes; for cmd also `%` and `!`.
[[nodiscard]] std::optional<std::string> quoted_word(Shell shell, std::string_view text,
                                                     bool always = false);

/// What a line begins with that the shell does not run: "# ".
[[nodiscard]] std::string_view comment_mark(Shell shell);

}  // namespace dsdoctor::base
