// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The user's file dsdoctor/config.yaml.
struct UserConfig {
  struct Line {
    std::string where;  // "config.yaml:2:5, ignore[0]"
    std::string text;
  };
  std::vector<Line> ignore;  // in the syntax of --ignore, not checked yet

  /// A default of a flag.
  struct Default {
    std::string where;
    std::string command;  // "check"
    std::string flag;     // "severity"
    std::string value;
  };
  std::vector<Default> defaults;  // not checked yet
};

/// Reads YAML or JSON: a mapping with the list `ignore`, and with `defaults` in the shape of
/// kubectl's kuberc: a list of `command` and its `options`, each a `name` and its `default`. The
/// file may be empty. Unknown parts are
/// warnings; the rest is used. Errors: Malformed, `file:line:column`, if it is not YAML or not a
/// mapping.
[[nodiscard]] base::Result<UserConfig> read_user_config(std::string_view content,
                                                        std::string_view file,
                                                        std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
