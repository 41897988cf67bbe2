#pragma once

#include <optional>
#include <string>
#include <vector>

#include "line/invocation.h"

namespace dsdoctor::cmd {

/// The words of an unfinished command line before the cursor.
struct CompletionLine {
  /// "explain"; empty while none is given.
  std::string command;
  std::vector<std::string> arguments;  // behind the command
  std::vector<std::string> flags;      // names that are used: "output"
  SourceOptions source;                // from the flags that can be parsed
  std::optional<FlagInfo> awaiting;    // the flag whose value the cursor is at
  bool only_arguments = false;         // behind `--`
};

/// Reads `words`, all but the one at the cursor. Unknown flags are skipped: nothing here is an
/// error.
[[nodiscard]] CompletionLine read_line(const std::vector<std::string>& words);

}  // namespace dsdoctor::cmd
