// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "line/help.h"
#include "line/options.h"
#include "line/words.h"

namespace dsdoctor::cmd {

/// Reads the words behind the program's name. No I/O. `program` is how the user calls us
/// ("kubectl dsdoctor"); it is in help texts and hints.
/// Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                                        const std::string& program);

/// A flag, as completion offers it.
struct FlagInfo {
  FlagShape shape;
  std::string description;
  bool repeatable = false;
};
/// Where an unfinished line reads from: `flags` are words as they were typed, each with its value;
/// those that make no sense are left out. REQUIRES: `command` exists.
[[nodiscard]] SourceOptions lenient_source(const std::string& command,
                                           const std::vector<std::vector<std::string>>& flags);

/// Of the command "explain", say; sorted by name. Empty for a command that does not exist.
[[nodiscard]] std::vector<FlagInfo> flag_infos(const std::string& command);
/// In the order of help.
[[nodiscard]] std::vector<CommandInfo> command_infos();

}  // namespace dsdoctor::cmd
