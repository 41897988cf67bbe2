// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/command_texts.h"
#include "line/words.h"

namespace dsdoctor::cmd {

/// An entry of the list of commands.
struct CommandInfo {
  std::string name;
  std::string description;
};

/// Wraps `text` like kubectl: at 120, 100 or 80 columns, depending on the width of the terminal;
/// not at all if it is narrower or `width` is 0. Examples and lists are not wrapped.
[[nodiscard]] std::string wrapped_help(const std::string& text, std::size_t width);

/// kubectl's layout: description, examples, options, usage, footer.
[[nodiscard]] std::string command_help(const CommandText& command, const Flags& flags,
                                       const std::string& program);

/// Help for the connection flags among `flags`, which all commands share.
[[nodiscard]] std::string connection_help(const Flags& flags, const std::string& program);

/// Help of the program, with its commands.
[[nodiscard]] std::string program_help(const std::string& program,
                                       const std::vector<CommandInfo>& commands);

}  // namespace dsdoctor::cmd
