// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "line/help.h"
#include "line/options.h"

/// How a line is read: parse_invocation asks a WordReader (words.h) for the first argument. The
/// flags before it, if there are any, are looked up among those of all commands. That argument is
/// the command, or explain's first name; where the line has none, it is explain's. Now the
/// command's flags are declared with CLI11, those before it have to be among them, and the reader
/// reads the rest of the line. CLI11 sets the part of a Raw (flags.h) that belongs to a flag as the
/// flag is read; the command's `make` (commands_of_line.h) parses the texts in it, checks what
/// depends on several flags, and makes the Invocation. Completion (complete/completion_line.h) goes
/// the same way with the words before the cursor, and skips what is wrong.
namespace dsdoctor::cmd {

/// Reads the words behind the program's name, each once. No I/O. `program` is how the user calls us
/// ("kubectl dsdoctor"); it is in help texts and hints.
/// Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                                        const std::string& program);

/// In the order of help.
[[nodiscard]] std::vector<CommandInfo> command_infos();

}  // namespace dsdoctor::cmd
