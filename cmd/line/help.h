// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/command_texts.h"
#include "line/words.h"

namespace dsdoctor::cmd {

/// A command in a list of them.
struct CommandInfo {
  std::string name;
  std::string description;
};

/// `text` as kubectl breaks it: to 120, 100 or 80 columns, by the width of the terminal; not at all
/// on a narrower one, or where `width` is 0. Examples and lists stay as they are.
[[nodiscard]] std::string wrapped_help(const std::string& text, std::size_t width);

/// kubectl's layout: description, examples, options, usage, footer.
[[nodiscard]] std::string command_help(const CommandText& command, const Flags& flags,
                                       const std::string& program);

/// Those of `flags` that reach a cluster, which every command shares.
[[nodiscard]] std::string connection_help(const Flags& flags, const std::string& program);

/// What the program is and which commands it has.
[[nodiscard]] std::string program_help(const std::string& program,
                                       const std::vector<CommandInfo>& commands);

}  // namespace dsdoctor::cmd
