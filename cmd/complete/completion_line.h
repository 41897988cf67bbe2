// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "line/invocation.h"

namespace dsdoctor::cmd {

/// The words of an unfinished command line before the cursor.
struct CompletionLine {
  /// "explain"; empty if no command is on the line.
  std::string command;
  std::vector<std::string> arguments;  // after the command
  std::vector<std::string> flags;      // names on the line: "output"
  SourceOptions source;                // from the flags that can be parsed
  std::optional<FlagInfo> awaiting;    // the flag whose value is at the cursor
  bool only_arguments = false;         // after `--`
};

/// Parses `words`, all but the one at the cursor. Unknown flags are skipped; there are no errors.
[[nodiscard]] CompletionLine read_line(const std::vector<std::string>& words);

}  // namespace dsdoctor::cmd
