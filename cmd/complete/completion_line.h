// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/options.h"

namespace dsdoctor::cmd {

/// The words of an unfinished command line before the cursor.
struct CompletionLine {
  /// "explain"; empty if no command is on the line.
  std::string command;
  std::vector<std::string> arguments;  // after the command
  std::vector<std::string> flags;      // names on the line: "output"
  SourceOptions source;                // from the flags that can be parsed
  std::string awaiting;                // the flag whose value is at the cursor; empty if none
  bool only_arguments = false;         // after `--`
};

/// Parses `words`, all but the one at the cursor. Invalid flags are skipped; there are no errors.
[[nodiscard]] CompletionLine read_line(const std::vector<std::string>& words);

}  // namespace dsdoctor::cmd
