// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "commands/commands.h"

namespace dsdoctor::cmd {

/// The result of a run of the program.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

/// For tests: the program as a process would run it, without a terminal.
inline Ran run_program(const std::vector<std::string>& words, kube::Environment environment = {},
                       model::Time now = {}, const std::string& input = {}) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in(input);
  Context ctx{
      .out = out, .err = err, .in = in, .environment = std::move(environment), .now = [now] {
        return now;
      }};
  const ExitCode code = run(words, ctx);
  return {static_cast<int>(code), out.str(), err.str()};
}

}  // namespace dsdoctor::cmd
