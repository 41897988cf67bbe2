// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "line/help.h"
#include "line/options.h"

/// How a line is read: parse_invocation reads up to the first argument with a WordReader (words.h).
/// Flags before it are looked up among those of all commands. The argument is the command or, with
/// the default command explain, the first name. Then CLI11 declares the flags of the command,
/// earlier flags are checked against them, and the reader reads the rest of the line. CLI11 sets
/// the member of Raw (flags.h) that belongs to a flag as soon as it is read; the command's `make`
/// (commands_of_line.h) parses the texts, checks combinations of flags, and makes the Invocation.
/// Completion (complete/completion_line.h) reads the words before the cursor in the same way, but
/// skips invalid ones.
namespace dsdoctor::cmd {

/// The value of a flag that is not on the line, from a file of the user.
struct DefaultFlag {
  std::string where;    // for warnings
  std::string command;  // "check"
  std::string flag;     // "severity"
  std::string value;
};

/// Reads the words after the program's name, each once. No I/O. `program` is the name under which
/// the user runs the program ("kubectl dsdoctor"), for help texts and hints. Errors: Usage, in
/// kubectl's words. `defaults` that are not on the line are used; invalid ones are `warnings`.
[[nodiscard]] base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                                        const std::string& program,
                                                        const std::vector<DefaultFlag>& defaults,
                                                        std::vector<std::string>& warnings);
/// The same without defaults.
[[nodiscard]] base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                                        const std::string& program);

/// In the order of help.
[[nodiscard]] std::vector<CommandInfo> command_infos();

}  // namespace dsdoctor::cmd
