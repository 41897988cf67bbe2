#pragma once

#include <string>
#include <vector>

#include "line/options.h"

namespace dsdoctor::cmd {

/// The words of an unfinished command line before the cursor.
struct CompletionLine {
  /// "explain"; empty while none is given.
  std::string command;
  std::vector<std::string> arguments;  // behind the command
  std::vector<std::string> flags;      // names that are used: "output"
  SourceOptions source;                // from the flags that can be parsed
  std::string awaiting;                // the flag whose value the cursor is at; empty: none
  bool only_arguments = false;         // behind `--`
};

/// Reads `words`, all but the one at the cursor. Wrong flags are skipped: nothing here is an error.
[[nodiscard]] CompletionLine read_line(const std::vector<std::string>& words);

}  // namespace dsdoctor::cmd
