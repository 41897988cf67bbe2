// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

/// A flag, as the reader of the command line needs to know it.
struct FlagShape {
  std::string name;    // "output"
  char shorthand = 0;  // 'o'; 0: none
  bool takes_value = true;
  std::string implied;  // the value of a flag given without one; empty: it must have one
  bool number = false;  // the value has to be an integer of 32 bits
};

struct LineWords {
  /// `--name=value`, or `--name` and an empty word; never a shorthand.
  std::vector<std::string> flags;
  std::vector<std::string> arguments;
};

/// Reads words as pflag does, so that everything works which kubectl's users type: `-n x`, `-nx`,
/// `-n=x`, `-Av6`, `--b=false`, values that begin with a dash, `_` for `-` in names, `--`.
/// The last of several values of one flag wins later, in the parser.
/// Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<LineWords> read_words(const std::vector<std::string>& words,
                                                 const std::vector<FlagShape>& shapes);

}  // namespace dsdoctor::cmd
